import { readPercentage } from '../budget/budget.ts';
import { checkOptions, invalidOption, oneOfTexts } from '../errors/check-options.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import { ContextError } from '../errors/context-error.ts';
import { definedIn } from '../json/json.ts';
import type { KeepRule } from '../stages/choose-cut.ts';
import type { LadderStep, Strategy } from './strategy.ts';

/** What can be changed of a built-in strategy. Options that a strategy does not use are checked all the same. */
export interface StrategyOptions {
  /**
   * When the strategy acts. `overflow`: when the request would exceed what is usable. `threshold`: at `thresholdPercent` of
   * the window. `manual`: only when the user asks. @default the strategy's own
   */
  readonly trigger?: Strategy['trigger'];
  /** Turns that `reactive-overflow`, `pruning-agent` and `digest` leave alone. Integer ≥ 1. @default 2 */
  readonly preserveLastNTurns?: number;
  /** Share of the trigger those turns may cost. From 0.01 to 0.9. @default 0.25 */
  readonly tailShare?: number;
  /** Messages that `threshold-tail` leaves alone. Integer ≥ 1. @default 10 */
  readonly recentMessagesToKeep?: number;
  /** Percentage of the view that `proactive-threshold` leaves alone: `30`, `0.3` or `"30%"`. From 1 to 99. @default 30 */
  readonly keepPercent?: number | string;
  /** Percentage of the window at which a threshold acts: `80`, `0.8` or `"80%"`. From 1 to 100. Defaults: 50, 80, 80. */
  readonly thresholdPercent?: number | string;
}

const defaults = {
  preserveLastNTurns: 2,
  tailShare: 0.25,
  recentMessagesToKeep: 10,
  keepPercent: 30,
} as const;

type Resolved = { readonly [Key in keyof typeof defaults]: number } & {
  readonly thresholdPercent: number | undefined;
};

/** Reserves of `threshold-tail`: system prompt, answer, safety; together never above 35 % of the window. */
const tailReserveTokens = 2_000 + 4_000 + 5_000;
const maxTailReserveShare = 0.35;

const atOverflow = { trigger: 'overflow', triggerAt: (usableTokens: number) => usableTokens } as const;

function compactBy(writer: 'model' | 'code', keep: KeepRule): LadderStep {
  return { type: 'compact', writer, keepsFirstTurn: false, keep };
}

/** The built-in strategies by name. A new one is a new row. */
const strategies = {
  'reactive-overflow': (options: Resolved): Strategy => ({
    name: 'reactive-overflow',
    ...atOverflow,
    ladderSteps: [compactBy('model', lastTurns(options))],
  }),
  'proactive-threshold': (options: Resolved): Strategy => ({
    name: 'proactive-threshold',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) => (windowTokens * (options.thresholdPercent ?? 50)) / 100,
    ladderSteps: [
      { type: 'prune' },
      compactBy('model', { type: 'last-share', share: options.keepPercent / 100 }),
    ],
  }),
  'threshold-tail': (options: Resolved): Strategy => ({
    name: 'threshold-tail',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) =>
      ((windowTokens - Math.min(tailReserveTokens, windowTokens * maxTailReserveShare)) *
        (options.thresholdPercent ?? 80)) /
      100,
    ladderSteps: [
      { type: 'prune' },
      compactBy('model', { type: 'last-messages', messages: options.recentMessagesToKeep }),
    ],
  }),
  'middle-removal': (options: Resolved): Strategy => ({
    name: 'middle-removal',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) => (windowTokens * (options.thresholdPercent ?? 80)) / 100,
    ladderSteps: [{ type: 'compact', writer: 'none', keepsFirstTurn: true, keep: { type: 'fill' } }],
  }),
  'pruning-agent': (options: Resolved): Strategy => ({
    name: 'pruning-agent',
    ...atOverflow,
    ladderSteps: [{ type: 'review' }, { type: 'prune' }, compactBy('model', lastTurns(options))],
  }),
  digest: (options: Resolved): Strategy => ({
    name: 'digest',
    ...atOverflow,
    ladderSteps: [compactBy('code', lastTurns(options))],
  }),
} as const satisfies Record<string, (options: Resolved) => Strategy>;

/** Name of a built-in strategy. */
export type StrategyName = keyof typeof strategies;

/** Names of all strategies that `createStrategy` knows. */
export const strategyNames = Object.keys(strategies) as readonly StrategyName[];

function lastTurns({ preserveLastNTurns, tailShare }: Resolved): KeepRule {
  return { type: 'last-turns', turns: preserveLastNTurns, share: tailShare };
}

/**
 * A built-in strategy by name.
 *
 * @throws {ContextError} `not-found` for an unknown name, `invalid-option` for an option outside its range.
 */
export function createStrategy(name: string, options: StrategyOptions = {}): Strategy {
  if (typeof name !== 'string') throw invalidOption('name', 'the name of a strategy', name);
  if (!Object.hasOwn(strategies, name)) {
    throw new ContextError('not-found', `Unknown strategy "${name}". Known: ${strategyNames.join(', ')}.`, {
      kind: 'strategy',
      id: name,
      known: strategyNames,
    });
  }
  checkOptions('', options, optionChecks);
  const { trigger, keepPercent, thresholdPercent } = options;
  const resolved: Resolved = {
    ...defaults,
    ...definedIn(options),
    keepPercent: readPercentage(keepPercent) ?? defaults.keepPercent,
    thresholdPercent: readPercentage(thresholdPercent),
  };
  const strategy = strategies[name as StrategyName](resolved);
  return trigger === undefined ? strategy : { ...strategy, ...triggers[trigger](strategy, resolved) };
}

const defaultThresholdPercent = 80;

/** When a strategy acts whose trigger is set apart from it. */
const triggers: {
  readonly [Trigger in Strategy['trigger']]: (
    strategy: Strategy,
    options: Resolved,
  ) => Pick<Strategy, 'trigger'> & Partial<Pick<Strategy, 'triggerAt'>>;
} = {
  overflow: () => atOverflow,
  threshold: (strategy, { thresholdPercent = defaultThresholdPercent }) => ({
    trigger: 'threshold',
    triggerAt: (usableTokens, windowTokens) =>
      strategy.trigger === 'threshold'
        ? strategy.triggerAt(usableTokens, windowTokens)
        : (windowTokens * thresholdPercent) / 100,
  }),
  manual: () => ({ trigger: 'manual' }),
};

const wholeFrom1: OptionCheck = {
  expected: 'a whole number ≥ 1',
  fits: (value) => Number.isInteger(value) && (value as number) >= 1,
};

function numberIn(
  low: number,
  high: number,
  read: (value: unknown) => unknown = (value) => value,
): OptionCheck {
  return {
    expected: `a number from ${low} to ${high}`,
    fits: (value) => {
      const number = read(value);
      return typeof number === 'number' && number >= low && number <= high;
    },
  };
}

const optionChecks: OptionChecks<StrategyOptions> = {
  trigger: oneOfTexts('overflow', 'threshold', 'manual'),
  preserveLastNTurns: wholeFrom1,
  tailShare: numberIn(0.01, 0.9),
  recentMessagesToKeep: wholeFrom1,
  keepPercent: numberIn(1, 99, readPercentage),
  thresholdPercent: numberIn(1, 100, readPercentage),
};
