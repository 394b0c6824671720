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
import type { BudgetInput } from '../budget/budget.ts';
import type { CacheBehaviour, ModelPrices } from '../models/model-entry.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import type { Policy } from './policy.ts';
import type { Pricing } from '../models/prices.ts';
import type { Profile } from '../summary/profiles/profile.ts';
import type { WireLimits } from '../stages/wire-size.ts';

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

/** Their values are checked where they are used, by `budgetOf`. */
const budget = optionsIn<Policy['budget']>({
  windowTokens: anything,
  maxInputTokens: anything,
  maxOutputTokens: anything,
  requestMaxTokens: anything,
  outputReserveTokens: anything,
  safetyTokens: anything,
  thresholdTokens: anything,
  target: anything,
  softThreshold: anything,
  keepTokens: anything,
  keepTurns: anything,
  leastGainTokens: anything,
  summaryTokens: anything,
} satisfies { readonly [Name in Exclude<keyof BudgetInput, 'triggerAt'>]: OptionCheck });

interface SummariserFields {
  readonly type: unknown;
  readonly windowTokens?: unknown;
  readonly pricing?: unknown;
  readonly canUseCachedPrefix?: unknown;
}

const writtenByCode: OptionChecks<Pick<SummariserFields, 'type'>> = { type: anything };

const model: OptionChecks<SummariserFields> = {
  type: anything,
  // Absent: it is the session's own model.
  windowTokens: numberFrom(1),
  pricing,
  canUseCachedPrefix: optionalFlag,
};

const summariser: OptionCheck = {
  expected: "{ type: 'code' } or { type: 'model', windowTokens? }",
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

const sound = new WeakSet<object>();

/** @throws {ContextError} `invalid-option` that names the option, for one that there is not as well. */
export function checkPolicy(policy: unknown): void {
  if (typeof policy === 'object' && policy !== null && sound.has(policy)) return;
  checkOptions('policy', policy, checks);
  sound.add(policy as object);
}
