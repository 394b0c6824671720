import { checkOption, invalidOption, wholeFrom } from '../errors/check-options.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';

/**
 * What the limits of a session are computed from. Sizes are whole numbers of tokens; shares are above 0 and at most 1.
 */
export interface BudgetInput {
  /** Tokens the model accepts, prompt and answer together. */
  readonly windowTokens: number;
  /** Most tokens of input where the model states it apart from the window. */
  readonly maxInputTokens?: number;
  /** Most tokens the model can answer with. */
  readonly maxOutputTokens?: number;
  /** The request's own limit on the answer. */
  readonly requestMaxTokens?: number;
  /**
   * Kept free for the answer; a policy has to leave a tenth of the window. @default the least of `requestMaxTokens` (else
   * `maxOutputTokens`), 32 000, and a quarter of the window
   */
  readonly outputReserveTokens?: number;
  /** Kept free for what no estimate sees. @default min(5 000, 4 % of the window) */
  readonly safetyTokens?: number;
  /** Where the strategy wants to act, given what is usable; at most usable. */
  readonly triggerAt?: (usableTokens: number, windowTokens: number) => number;
  /** Absolute cap on the trigger, beside the percentage. */
  readonly thresholdTokens?: number;
  /**
   * Share of the trigger at which pruning and compaction stop; where system text, tools and system messages take much of
   * it, a share of what they leave. @default 0.55, and up to 0.8 for a trigger below 40 000 where what is to be sent on
   * top leaves the room
   */
  readonly target?: number;
  /** Share of the trigger at which a background summary may start. @default 0.65 */
  readonly softThreshold?: number;
  /**
   * Newest tool output, beyond that of the newest turns, that pruning leaves alone. @default min(40 000, 25 % of the
   * trigger)
   */
  readonly keepTokens?: number;
  /** Newest turns whose output pruning leaves alone, up to a quarter of the trigger in all. @default 2 */
  readonly keepTurns?: number;
  /** Least gain for which output is pruned without pressure. @default min(20 000, 10 % of the trigger) */
  readonly leastGainTokens?: number;
  /** Most prose in a summary. @default 20 % of the target, at most 2 000 or, where that is more, 10 % of it up to 4 000 */
  readonly summaryTokens?: number;
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
  /** Pruning and compaction bring what the model has seen down to this: a truncated exchange fits on top. */
  readonly targetTokens: number;
  /** The same where little is to be sent on top; at least `targetTokens`. See `targetFor`. */
  readonly highestTargetTokens: number;
  readonly softTokens: number;
  /** One result, and one exchange of parallel results, before their first send. */
  readonly resultTokens: number;
  readonly exchangeTokens: number;
  /** Newest tool output, beyond that of the newest `keepTurns` turns, that pruning leaves alone. */
  readonly keepTokens: number;
  readonly keepTurns: number;
  /** Both together are at most this. */
  readonly mostKeptTokens: number;
  /** Least gain of pruning without pressure. */
  readonly leastGainTokens: number;
  /** The task and the latest request stay verbatim up to this: a quarter of what is usable, at most half of the trigger. */
  readonly verbatimTokens: number;
  /** Growth after a ladder pass before the next one. */
  readonly growthTokens: number;
  /** Most prose in a summary. */
  readonly summaryTokens: number;
}

// An answer seldom takes more than 32 000 tokens; of a small window three quarters are left for the conversation.
const maxReserveTokens = 32_000;
const reserveShare = 0.25;
// For what no estimate sees: the frame of the messages, and tools as the provider writes them.
const maxSafetyTokens = 5_000;
const safetyShare = 0.04;
// However much is kept free: so much of the window is left to work with.
const leastFreeShare = 0.1;
// Readers of recorded sessions answer more the more room the summary has; more than this, and what is truncated at its
// source (40 %) would not fit on top. See docs/decisions/0009-timeline.md.
const defaultTarget = 0.55;
// A small window forgets most, so it is filled further: up to a trigger of 10 000, and less and less up to 40 000, where
// readers miss little and each compaction costs the cache of more. See docs/decisions/0009-timeline.md.
const highestTarget = 0.8;
const smallTriggerTokens = 10_000;
const usualTriggerTokens = 40_000;
// Of what is usable; of a trigger that somebody has set far below it a half, or nothing but the task would stand there.
const verbatimShare = 0.25;
const mostVerbatimShare = 0.5;
const maxKeepTokens = 40_000;
const maxLeastGainTokens = 20_000;
const defaultKeepTurns = 2;
// 2 000, in a large window a tenth of the target, at most 4 000; a fifth where the target is small.
const usualSummaryTokens = 2_000;
const mostSummaryTokens = 4_000;

/**
 * The one budget: trigger, pre-flight, summariser input, post-check and display all read it.
 * usable = window − output reserve − safety, never below a tenth of the window, so that no model's output limit can
 * leave nothing to work with.
 *
 * @throws {ContextError} `invalid-option`, with what was expected and what came, for a number of tokens that is not
 * whole or too small, a share outside (0, 1], and a strategy whose point is no finite number > 0.
 */
export function budgetOf(input: BudgetInput): Budget {
  const windowTokens = wholeWindow(input.windowTokens);
  checkTokens(input);
  const outputReserveTokens = input.outputReserveTokens ?? reserveOf(input, windowTokens);
  const safetyTokens = input.safetyTokens ?? usualSafetyTokens(windowTokens);
  const free = Math.max(windowTokens - outputReserveTokens - safetyTokens, leastFreeTokens(windowTokens));
  const usableTokens = Math.min(free, input.maxInputTokens ?? free);
  const point = strategyPoint(input.triggerAt?.(usableTokens, windowTokens)) ?? usableTokens;
  const triggerTokens = Math.max(
    1,
    Math.floor(Math.min(usableTokens, point, input.thresholdTokens ?? usableTokens)),
  );
  const target = share('target', input.target, defaultTarget);
  const highest = input.target === undefined ? highestShare(triggerTokens) : target;
  const targetTokens = Math.floor(triggerTokens * target);
  return {
    windowTokens,
    outputReserveTokens,
    safetyTokens,
    usableTokens,
    triggerTokens,
    targetTokens,
    highestTargetTokens: Math.floor(triggerTokens * highest),
    softTokens: Math.floor(triggerTokens * share('softThreshold', input.softThreshold, 0.65)),
    resultTokens: Math.floor(triggerTokens * 0.25),
    exchangeTokens: Math.floor(triggerTokens * 0.4),
    ...keptOutput(input, triggerTokens),
    leastGainTokens: input.leastGainTokens ?? Math.min(maxLeastGainTokens, Math.floor(triggerTokens * 0.1)),
    verbatimTokens: Math.floor(Math.min(usableTokens * verbatimShare, triggerTokens * mostVerbatimShare)),
    growthTokens: Math.floor(triggerTokens * 0.1),
    summaryTokens: input.summaryTokens ?? proseTokens(targetTokens),
  };
}

function proseTokens(targetTokens: number): number {
  const most = Math.min(mostSummaryTokens, Math.max(usualSummaryTokens, targetTokens * 0.1));
  return Math.floor(Math.min(most, targetTokens * 0.2));
}

function highestShare(triggerTokens: number): number {
  const part = (usualTriggerTokens - triggerTokens) / (usualTriggerTokens - smallTriggerTokens);
  return defaultTarget + (highestTarget - defaultTarget) * Math.min(1, Math.max(0, part));
}

// A pass that comes at every second step costs the cache of all steps between.
const exchangesToCome = 4;
// A share of the room that is left beside what is fixed: a truncated exchange still fits on top.
const crowdedShare = 0.8;

/**
 * Where a pass stops at the latest, however much is sent on top: `targetTokens`, measured above `fixedTokens`, what every
 * request holds, where they take much of the trigger.
 */
export function lowestTarget(budget: Budget, fixedTokens: number): number {
  return aboveFixed(budget, budget.targetTokens, fixedTokens);
}

/**
 * What pruning and compaction bring the seen part down to where `unseenTokens` are to be sent on top, and `fixedTokens`
 * stand in every request: up to `highestTargetTokens`, measured above what is fixed as `lowestTarget` is, so that the
 * whole can grow by a tenth of the trigger, and by four times what is on top, before the next pass.
 */
export function targetFor(
  budget: Budget,
  { unseenTokens, fixedTokens }: { readonly unseenTokens: number; readonly fixedTokens: number },
): number {
  const { triggerTokens, highestTargetTokens, growthTokens } = budget;
  const growing = Math.max(growthTokens, unseenTokens * exchangesToCome);
  const left = Math.floor(triggerTokens - unseenTokens - growing);
  const highest = aboveFixed(budget, highestTargetTokens, fixedTokens);
  return Math.max(lowestTarget(budget, fixedTokens), Math.min(highest, left));
}

function aboveFixed({ triggerTokens }: Budget, tokens: number, fixedTokens: number): number {
  const room = triggerTokens - fixedTokens;
  const above = Math.floor(fixedTokens + (room * crowdedShare * tokens) / triggerTokens);
  return Math.min(triggerTokens, Math.max(tokens, above));
}

/** What is asked for goes before the quarter of the trigger, as far as the trigger. */
function keptOutput(
  { keepTokens, keepTurns = defaultKeepTurns }: BudgetInput,
  triggerTokens: number,
): Pick<Budget, 'keepTokens' | 'keepTurns' | 'mostKeptTokens'> {
  const quarter = Math.floor(triggerTokens * 0.25);
  return {
    keepTokens: Math.min(keepTokens ?? Math.min(maxKeepTokens, quarter), triggerTokens),
    keepTurns,
    mostKeptTokens: Math.min(Math.max(quarter, keepTokens ?? 0), triggerTokens),
  };
}

type TokenOption = Exclude<keyof BudgetInput, 'windowTokens' | 'triggerAt' | 'target' | 'softThreshold'>;

const windowCheck: OptionCheck = {
  expected: 'a finite number ≥ 1',
  fits: (value) => Number.isFinite(value) && (value as number) >= 1,
};

const shareCheck: OptionCheck = {
  expected: 'a number in (0, 1]',
  fits: (value) => Number.isFinite(value) && (value as number) > 0 && (value as number) <= 1,
};

const tokenChecks: OptionChecks<Pick<BudgetInput, TokenOption>> = {
  maxInputTokens: wholeFrom(1),
  maxOutputTokens: wholeFrom(0),
  requestMaxTokens: wholeFrom(0),
  outputReserveTokens: wholeFrom(0),
  safetyTokens: wholeFrom(0),
  thresholdTokens: wholeFrom(1),
  keepTokens: wholeFrom(0),
  keepTurns: wholeFrom(0),
  leastGainTokens: wholeFrom(0),
  summaryTokens: wholeFrom(1),
};

/** What each number of a budget may be. A new option does not compile without a row. */
export const budgetChecks: OptionChecks<Omit<BudgetInput, 'triggerAt'>> = {
  windowTokens: { ...windowCheck, isRequired: true },
  target: shareCheck,
  softThreshold: shareCheck,
  ...tokenChecks,
};

/**
 * What is kept for the answer leaves a tenth of the window that the policy states, beside the margin: `budgetOf` would
 * keep less than it was told without a word, as it has to where an error has taught a smaller window.
 *
 * @throws {ContextError} `invalid-option`, with the most that can be kept.
 */
export function checkReserve({ windowTokens, outputReserveTokens, safetyTokens }: BudgetInput): void {
  const most = mostReserveTokens({ windowTokens, safetyTokens });
  if (outputReserveTokens === undefined || outputReserveTokens <= most) return;
  const expected = `at most ${most}, so that a tenth of the window of ${windowTokens} tokens is left beside what is kept free`;
  throw invalidOption('policy.budget.outputReserveTokens', expected, outputReserveTokens);
}

/** The most that can be kept free for the answer in a window of this size. */
export function mostReserveTokens({
  windowTokens,
  safetyTokens = usualSafetyTokens(windowTokens),
}: Pick<BudgetInput, 'windowTokens'> & { readonly safetyTokens?: number | undefined }): number {
  return Math.max(0, Math.floor(windowTokens) - safetyTokens - leastFreeTokens(windowTokens));
}

function usualSafetyTokens(windowTokens: number): number {
  return Math.min(maxSafetyTokens, Math.floor(windowTokens * safetyShare));
}

function leastFreeTokens(windowTokens: number): number {
  return Math.floor(windowTokens * leastFreeShare);
}

const tokenOptions = Object.keys(tokenChecks) as readonly TokenOption[];

function checkTokens(input: BudgetInput): void {
  for (const option of tokenOptions) {
    const value = input[option];
    if (value !== undefined) checkOption(option, tokenChecks[option], value);
  }
}

/** The smallest of: what the request asks for (else the model's most), 32 000, a quarter of the window. */
function reserveOf({ requestMaxTokens, maxOutputTokens }: BudgetInput, windowTokens: number): number {
  const asked = requestMaxTokens ?? maxOutputTokens ?? maxReserveTokens;
  return Math.min(asked, maxReserveTokens, Math.floor(windowTokens * reserveShare));
}

/** A window may come out of arithmetic: what is left of a token is none. */
function wholeWindow(value: number): number {
  checkOption('windowTokens', windowCheck, value);
  return Math.floor(value);
}

function strategyPoint(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return value;
  throw invalidOption('strategy.triggerAt()', 'a finite number > 0', value);
}

function share(option: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  checkOption(option, shareCheck, value);
  return value;
}

/**
 * A percentage in any of the ways people write it: `80`, `0.8` and `"80%"` are the same. Below 1 a number is a share, and
 * a text with its sign is what it says. `undefined` where it is none.
 */
export function readPercentage(value: unknown): number | undefined {
  const match =
    typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,12})?|\.\d{1,12}) ?(%?)$/.exec(value.trim()) : null;
  const number = match ? Number(match[1]) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  const isShare = number > 0 && number < 1 && match?.[2] !== '%';
  return isShare ? Number((number * 100).toPrecision(12)) : number;
}
