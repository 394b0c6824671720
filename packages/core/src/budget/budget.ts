import { ContextError } from '../errors/context-error.ts';

export interface BudgetInput {
  /** Tokens the model accepts, prompt and answer together. */
  readonly windowTokens: number;
  /** Most tokens of input where the model states it apart from the window. */
  readonly maxInputTokens?: number;
  /** Most tokens the model can answer with. */
  readonly maxOutputTokens?: number;
  /** The request's own limit on the answer. */
  readonly requestMaxTokens?: number;
  /** Overrides the reserve for the answer. */
  readonly outputReserveTokens?: number;
  /** Overrides the safety margin. */
  readonly safetyTokens?: number;
  /** Where the strategy wants to act, given what is usable; at most usable. */
  readonly triggerAt?: (usableTokens: number, windowTokens: number) => number;
  /** Absolute cap on the trigger, beside the percentage. */
  readonly thresholdTokens?: number;
  /** Share of the trigger at which clearing and folding stop. @default 0.5 */
  readonly target?: number;
  /** Share of the trigger at which a background summary may start. @default 0.65 */
  readonly softThreshold?: number;
}

/** Every limit in one place, in the provider's tokens. */
export interface Budget {
  readonly windowTokens: number;
  /** Kept free for the answer. */
  readonly outputReserveTokens: number;
  readonly safetyTokens: number;
  /** Hard ceiling of any request. */
  readonly usableTokens: number;
  /** The next request may not exceed this without the ladder running. */
  readonly triggerTokens: number;
  /** Clearing and folding bring what the model has seen down to this. */
  readonly lowTokens: number;
  readonly softTokens: number;
  /** One result, and one group of parallel results, before their first send. */
  readonly resultTokens: number;
  readonly groupTokens: number;
  /** Newest tool output that clearing leaves alone. */
  readonly keepTokens: number;
  /** Least gain of clearing without pressure. */
  readonly leastGainTokens: number;
  /** The task and the latest request stay verbatim up to this. */
  readonly verbatimTokens: number;
  /** Growth after a ladder pass before the next one. */
  readonly growthTokens: number;
}

// The figures are those of `spec.md` §2, E9–E13 and `design-details.md` (e).
const maxReserveTokens = 32_000;
const reserveShare = 0.25;
const maxSafetyTokens = 5_000;
const safetyShare = 0.04;
const maxKeepTokens = 40_000;
const maxLeastGainTokens = 20_000;

/**
 * The one budget: trigger, pre-flight, summariser input, post-check and display all read it.
 * usable = window − output reserve − safety, never below a tenth of the window, so that no model's output limit can
 * leave nothing to work with.
 *
 * @throws {ContextError} `invalid-option` when a number is not finite and positive, or a share lies outside (0, 1].
 */
export function budgetOf(input: BudgetInput): Budget {
  const windowTokens = positive('windowTokens', input.windowTokens);
  const outputReserveTokens = reserveOf(input, windowTokens);
  const safetyTokens =
    input.safetyTokens ?? Math.min(maxSafetyTokens, Math.floor(windowTokens * safetyShare));
  const free = Math.max(windowTokens - outputReserveTokens - safetyTokens, Math.floor(windowTokens * 0.1));
  const usableTokens = Math.min(free, input.maxInputTokens ?? free);
  const point = input.triggerAt?.(usableTokens, windowTokens) ?? usableTokens;
  const triggerTokens = Math.max(
    1,
    Math.floor(Math.min(usableTokens, point, input.thresholdTokens ?? usableTokens)),
  );
  return {
    windowTokens,
    outputReserveTokens,
    safetyTokens,
    usableTokens,
    triggerTokens,
    lowTokens: Math.floor(triggerTokens * share('target', input.target ?? 0.5)),
    softTokens: Math.floor(triggerTokens * share('softThreshold', input.softThreshold ?? 0.65)),
    resultTokens: Math.floor(triggerTokens * 0.25),
    groupTokens: Math.floor(triggerTokens * 0.4),
    keepTokens: Math.min(maxKeepTokens, Math.floor(triggerTokens * 0.25)),
    leastGainTokens: Math.min(maxLeastGainTokens, Math.floor(triggerTokens * 0.1)),
    verbatimTokens: Math.floor(usableTokens * 0.25),
    growthTokens: Math.floor(triggerTokens * 0.1),
  };
}

/** The smallest of: what the request asks for (else the model's most), 32 000, a quarter of the window. */
function reserveOf(input: BudgetInput, windowTokens: number): number {
  if (input.outputReserveTokens !== undefined) return input.outputReserveTokens;
  const asked = input.requestMaxTokens ?? input.maxOutputTokens ?? maxReserveTokens;
  return Math.min(Math.max(0, asked), maxReserveTokens, Math.floor(windowTokens * reserveShare));
}

function positive(option: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new ContextError(
    'invalid-option',
    `Expected ${option} to be a finite number > 0, got ${String(value)}.`,
    {
      option,
      expected: 'a finite number > 0',
      received: value,
    },
  );
}

function share(option: string, value: number): number {
  if (value > 0 && value <= 1) return value;
  throw new ContextError('invalid-option', `Expected ${option} to lie in (0, 1], got ${String(value)}.`, {
    option,
    expected: 'a number in (0, 1]',
    received: value,
  });
}
