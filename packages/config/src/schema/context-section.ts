import { strategyNames } from '@throughline/core/settings';
import { field, group, named, section } from '../fields/field.ts';
import { count, flag, oneOf, path, percent, share, tokens } from '../fields/rules.ts';
import type { FieldRule } from '../fields/field.ts';
import type { StrategyName } from '@throughline/core/types';

const builtInProfiles = ['coding', 'cms', 'general'] as const;

export const isBuiltInProfile = (name: string): boolean => builtInProfiles.some((one) => one === name);

/** A path is told from a name by its slash or dot, so that a name with a slip in it is no path. */
const profile: FieldRule<string> = {
  expected: `one of ${builtInProfiles.join(', ')}, or the path of a prompt of your own, as ./prompt.md`,
  read: (value) => {
    const read = path.read(value);
    return read !== undefined && (isBuiltInProfile(read) || /[./\\]/.test(read)) ? read : undefined;
  },
  json: { type: 'string', anyOf: [{ enum: [...builtInProfiles] }, { pattern: '[./\\\\]' }] },
  known: builtInProfiles,
};

// The ranges are those of `createStrategy`; a test compares.
const optionsSection = section(
  {
    preserveLastNTurns: field(count(1), {
      about: 'Turns that `reactive-overflow`, `pruning-agent` and `digest` leave alone.',
      default: 2,
    }),
    thresholdPercent: field(percent(1, 100), {
      about: 'Percentage of the window at which a threshold strategy acts.',
      defaultText: '50 for `proactive-threshold`, else 80',
    }),
    thresholdTokens: field(tokens(1), {
      about: 'Tokens at which any strategy acts, beside its own point: the smaller counts.',
      defaultText: 'no cap',
    }),
    recentMessagesToKeep: field(count(1), {
      about: 'Messages that `threshold-tail` leaves alone.',
      default: 10,
    }),
    keepPercent: field(percent(1, 99), {
      about: 'Percentage of the view that `proactive-threshold` leaves alone.',
      default: 30,
    }),
    pruneProtectTokens: field(tokens(0), { about: 'Another name of `context.prune.protectTokens`.' }),
    maxSummaryTokens: field(tokens(1), {
      about: 'Most tokens of prose in a summary.',
      defaultText: '20 % of the target, at most 2,000 or 10 % of it up to 4,000',
    }),
    profile: field(profile, {
      about: 'What a summary tells: `coding`, `cms`, `general`, or the path of your own prompt.',
      default: 'coding',
    }),
  },
  'Options of the strategy.',
);

const pruneShape = {
  protectTokens: field(tokens(0), {
    about: 'Newest tool output that pruning leaves alone.',
    defaultText: '40,000, at most 25 % of the trigger',
  }),
  minimumTokens: field(tokens(0), {
    about: 'Least gain for which old output is pruned without need.',
    defaultText: 'min(20,000, 10 % of the trigger)',
  }),
  minTurnsToKeep: field(count(0), {
    about: 'Newest turns whose output stays.',
    defaultText: '2',
  }),
};

const pruneSection = section(pruneShape, 'When old tool output is pruned.');

const windowWords = 'Tokens of one request, prompt and answer together. Goes before `model.windowTokens`.';
const targetWords = 'Share of the trigger at which pruning and compaction stop.';
const softWords = 'Share of the trigger at which a summary may be written ahead of need.';

/** What keeps a conversation inside the window (spec E8–E16, E22, A14). */
export const contextSection = section(
  {
    ...contextShape('reactive-overflow'),
    byModel: named(
      group(
        {
          ...thresholdShape(),
          thresholdTokens: field(tokens(1), {
            about: 'Tokens at which any strategy acts, beside its own point: the smaller counts.',
          }),
          maxSummaryTokens: field(tokens(1), { about: 'Most tokens of prose in a summary.' }),
          prune: group(pruneShape, 'When old tool output is pruned.').optional(),
        },
        'What is different for this model; all else is as for every model.',
      ),
      'Thresholds of single models, by their names, as `anthropic:claude-sonnet-5`.',
      { pattern: /^[^\s:]+(:\S+)?$/, expected: 'the name of a model, as anthropic:claude-sonnet-5' },
    ),
  },
  'What keeps a conversation inside the window.',
);

/** The same for a route of the proxy, only there when it is given. */
export const routeContextSection = group(contextShape('reactive-overflow'), 'As `context`, for this route.');

/** Without defaults: what is not said of one model is as for all. */
function thresholdShape() {
  return {
    window: field(tokens(1_000), { about: windowWords }),
    outputReserve: field(tokens(0), { about: 'Tokens kept free for the answer.' }),
    safety: field(tokens(0), { about: 'Tokens kept free because counts are estimates.' }),
    target: field(share, { about: targetWords }),
    softThreshold: field(share, { about: softWords }),
  };
}

function contextShape(strategy: StrategyName) {
  return {
    window: field(tokens(1_000), {
      about: windowWords,
      defaultText: 'that of the model',
    }),
    outputReserve: field(tokens(0), {
      about: 'Tokens kept free for the answer.',
      defaultText: 'the least of: what the model can answer with, 32,000, 25 % of the window',
    }),
    safety: field(tokens(0), {
      about: 'Tokens kept free because counts are estimates.',
      defaultText: 'min(5,000, 4 % of the window)',
    }),
    target: field(share, {
      about: targetWords,
      defaultText: '0.55; up to 0.8 with a trigger below 40,000',
    }),
    softThreshold: field(share, {
      about: softWords,
      default: 0.65,
    }),
    showBudget: field(flag, {
      about: 'Tells the model how much room is left.',
      default: false,
    }),
    prune: pruneSection,
    compaction: section(
      {
        auto: field(flag, {
          about: 'Compacts without being asked. `false`: only when the user asks.',
          default: true,
        }),
        background: field(flag, {
          about: 'Summaries are written ahead of need, while the agent goes on.',
          default: true,
        }),
        strategy: field(oneOf(...strategyNames), {
          about: 'When and how the context is made smaller.',
          default: strategy,
        }),
        trigger: field(oneOf('overflow', 'threshold', 'manual'), {
          about:
            'When the strategy acts: when the request would not fit, at `thresholdPercent` of the window, or only when the user asks.',
          defaultText: 'that of the strategy',
        }),
        options: optionsSection,
      },
      'When old messages become a summary.',
    ),
  };
}
