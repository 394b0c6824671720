import {
  anything,
  checkOptions,
  duration,
  numberFrom,
  oneOfTexts,
  optionalFlag,
  optionalFunction,
  optionalText,
  optionsIn,
  required,
  texts,
  wholeNumbers,
} from '../errors/check-options.ts';
import { budgetChecks, checkReserve } from '../budget/budget.ts';
import { defaultLimitsOf } from '../stages/truncate-results.ts';
import type { BudgetInput } from '../budget/budget.ts';
import type { Injection } from '../changes/change.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import type { CacheBehaviour, ModelPrices } from '../models/model-entry.ts';
import type { Pricing } from '../models/prices.ts';
import type { ToolLimits } from '../text/truncate-output.ts';
import type { WireLimits } from '../stages/wire-size.ts';
import type { Strategy } from '../strategies/strategy.ts';
import type { Profile } from '../summary/profiles.ts';
import type { Binding } from '../transcript/entry.ts';

/** Everything the engine is told. One object for trigger, stages, summariser and display. */
export interface Policy {
  readonly strategy: Strategy;
  readonly budget: Omit<BudgetInput, 'triggerAt'>;
  /** Limits on bytes and media of a request, where the provider has some. Oldest media go first. @default none */
  readonly wire?: WireLimits;
  /** `false`: nothing is compacted unless the user asks. @default true */
  readonly auto?: boolean;
  /** Who writes the prose: a model asked through the host, or code. @default 'code' */
  readonly summariser?:
    | { readonly type: 'code' }
    | {
        readonly type: 'model';
        /** @default it is the session's own model: its window, with what is learned of it */
        readonly windowTokens?: number;
        /** @default that of the session's model */
        readonly pricing?: Pricing;
        /**
         * The host can put a question behind the messages it sent last (`ModelRequest.cachedPrefix`), to the session's
         * own model. With `pricing` of the session the cheaper way is taken each time. @default false
         */
        readonly canUseCachedPrefix?: boolean;
      };
  /** What the model costs: then the report says what a pass costs and saves, and pruning waits until it pays. */
  readonly pricing?: Pricing;
  /** Summaries may be written ahead of need, from the soft threshold on. @default true */
  readonly background?: boolean;
  /** Sections and wording of the summary. @default the coding profile */
  readonly profile?: Profile;
  /** The host offers the `recall` tool, so placeholders may name it. @default false */
  readonly hasRecall?: boolean;
  /** Ordinals of messages that are never compacted, pruned or truncated. */
  readonly pins?: readonly number[];
  /** Limits per tool before the first send; `undefined` for a tool means the default. @default 120 000 characters, fewer for `bash` and `shell`, lines for `read` and matches for `grep` */
  readonly limitsOf?: (toolName: string | undefined) => ToolLimits | undefined;
  /** What the model's signed reasoning is bound to, where it is more than its own content. */
  readonly reasoningBinding?: Binding;
  /** @default 'pair' */
  readonly injection?: Injection;
}

const price = required(numberFrom(0));

const pricing = optionsIn<Pricing>({
  prices: required(
    optionsIn<ModelPrices>({ input: price, output: price, cacheRead: price, cacheWrite: price }),
  ),
  cache: required(
    optionsIn<CacheBehaviour>({
      kind: required(oneOfTexts('automatic', 'marked', 'none')),
      lifetimeMs: required(duration),
    }),
  ),
});

const budget = optionsIn<Policy['budget']>(budgetChecks);

type Summariser<Type> = Extract<Policy['summariser'], { readonly type: Type }>;

const writtenByCode: OptionChecks<Summariser<'code'>> = { type: anything };

const model: OptionChecks<Summariser<'model'>> = {
  type: anything,
  // Absent: it is the session's own model.
  windowTokens: numberFrom(1),
  pricing,
  canUseCachedPrefix: optionalFlag,
};

const summariser: OptionCheck = {
  expected: "{ type: 'code' } or { type: 'model', windowTokens?, pricing?, canUseCachedPrefix? }",
  fits: (value) => ['code', 'model'].includes((value as { type?: string } | null)?.type ?? ''),
  inside: (option, value) =>
    'type' in value && value.type === 'model'
      ? checkOptions(option, value, model)
      : checkOptions(option, value, writtenByCode),
};

const profile = optionsIn<Profile>({
  name: required(optionalText),
  sections: required({
    expected: 'a list of sections with heading and hint',
    fits: (value) =>
      Array.isArray(value) &&
      value.every(
        (one: Partial<Profile['sections'][number]> | null) =>
          typeof one?.heading === 'string' && typeof one.hint === 'string',
      ),
  }),
  rules: required(texts),
  prompt: optionalText,
});

const checks: OptionChecks<Policy> = {
  // Looked at by `checkStrategy`.
  strategy: anything,
  budget: required(budget),
  wire: optionsIn<WireLimits>({ maxBytes: numberFrom(0), maxMedia: numberFrom(0) }),
  auto: optionalFlag,
  summariser,
  pricing,
  background: optionalFlag,
  profile,
  hasRecall: optionalFlag,
  pins: wholeNumbers,
  limitsOf: optionalFunction,
  reasoningBinding: oneOfTexts('content', 'prefix', 'next-item'),
  injection: oneOfTexts('pair', 'assistant', 'user'),
};

/** @throws {ContextError} `invalid-option` that names the option, for one that there is not as well. */
export function checkPolicy(policy: unknown): void {
  checkOptions<Policy>('policy', policy, checks);
  checkReserve((policy as Policy).budget);
}

/** Whether anything is compacted without the user asking for it. */
export function isAutomatic({ auto, strategy }: Policy): boolean {
  return auto !== false && strategy.trigger !== 'manual';
}

const anyLimit: OptionCheck = {
  expected: 'a number ≥ 0',
  fits: (value) => typeof value === 'number' && value >= 0,
};

const toolLimits: OptionChecks<ToolLimits> = {
  maxOutputChars: anyLimit,
  maxLines: anyLimit,
  maxLineLength: anyLimit,
  maxMatches: anyLimit,
};

/**
 * The limits of a tool: those of the policy, where it has some for it, else the usual ones.
 *
 * @throws {ContextError} `invalid-option` for what are no limits, a misspelt one included.
 */
export function toolLimitsOf({ limitsOf }: Policy, toolName: string | undefined): ToolLimits {
  const own = limitsOf?.(toolName);
  if (own === undefined) return defaultLimitsOf(toolName);
  checkOptions('policy.limitsOf()', own, toolLimits);
  return own;
}
