import { createRecall, shareOf } from '../metrics/future-use.ts';
import { validityRules } from '../metrics/validity.ts';
import type { Recall } from '../metrics/future-use.ts';
import type { ValidityRule } from '../metrics/validity.ts';

/** Splits of M2. `blanked`: the index of placeholders taken out. */
const recallSplits = [
  'all',
  'far',
  'locator',
  'locatorFar',
  'post',
  'postFar',
  'blanked',
  'blankedFar',
  'blankedLocatorFar',
] as const;
type RecallSplit = (typeof recallSplits)[number];

/** What was added up over steps and sessions; tallies of sessions add up to tallies of sets. */
export interface Tally {
  sessions: number;
  steps: number;
  measuredSteps: number;
  /** Steps at which the contender had nothing to send. */
  unsendableSteps: number;
  invalidSteps: number;
  brokenRules: Record<ValidityRule, number>;
  recall: Record<RecallSplit, Recall>;
  /** Sum and number of the recalls per step. */
  macroSum: number;
  macroSteps: number;
  overflowSteps: number;
  stepsOverBudget: number;
  sentTokens: number;
  maxTokens: number;
  /** Sent tokens and steps after the first trigger. */
  loadedTokens: number;
  loadedSteps: number;
  anthropicCost: number;
  openaiCost: number;
  baseAnthropicCost: number;
  baseOpenaiCost: number;
  baseTokens: number;
  prefixShareSum: number;
  prefixSteps: number;
  breaks: number;
  /** Breaks of the prefix at a step that the contender does not call a compaction. */
  silentBreaks: number;
  compactions: number;
  rewrittenTokens: number;
  userTexts: Recall;
  ruleSentences: Recall;
  files: Recall;
  /** Paths in texts the contender wrote: named, and of these the ones the history knows. */
  writtenPaths: Recall;
  determinismFaults: number;
  stepMs: number[];
}

export function createTally(): Tally {
  return {
    sessions: 0,
    steps: 0,
    measuredSteps: 0,
    unsendableSteps: 0,
    invalidSteps: 0,
    brokenRules: Object.fromEntries(validityRules.map((rule) => [rule, 0])) as Record<ValidityRule, number>,
    recall: Object.fromEntries(recallSplits.map((split) => [split, createRecall()])) as Record<
      RecallSplit,
      Recall
    >,
    macroSum: 0,
    macroSteps: 0,
    overflowSteps: 0,
    stepsOverBudget: 0,
    sentTokens: 0,
    maxTokens: 0,
    loadedTokens: 0,
    loadedSteps: 0,
    anthropicCost: 0,
    openaiCost: 0,
    baseAnthropicCost: 0,
    baseOpenaiCost: 0,
    baseTokens: 0,
    prefixShareSum: 0,
    prefixSteps: 0,
    breaks: 0,
    silentBreaks: 0,
    compactions: 0,
    rewrittenTokens: 0,
    userTexts: createRecall(),
    ruleSentences: createRecall(),
    files: createRecall(),
    writtenPaths: createRecall(),
    determinismFaults: 0,
    stepMs: [],
  };
}

/** Adds `more` to `sum`: numbers add up, the largest stays the largest. */
export function addTally(sum: Tally, more: Tally): void {
  const maxTokens = Math.max(sum.maxTokens, more.maxTokens);
  addInto(sum as unknown as Numbers, more as unknown as Numbers);
  sum.maxTokens = maxTokens;
}

type Numbers = { [key: string]: number | number[] | Numbers };

function addInto(sum: Numbers, more: Numbers): void {
  for (const [key, value] of Object.entries(more)) {
    const own = sum[key];
    if (typeof value === 'number') sum[key] = (own as number) + value;
    else if (Array.isArray(value)) (own as number[]).push(...value);
    else addInto(own as Numbers, value);
  }
}

/** The figures of a tally, as the report gives them. Shares lie in [0, 1]; not a number where there was nothing. */
export function figuresOf(tally: Tally, budgetTokens: number) {
  const { recall, steps, loadedSteps } = tally;
  const recalls = Object.fromEntries(recallSplits.map((split) => [split, shareOf(recall[split])])) as Record<
    RecallSplit,
    number
  >;
  const times = tally.stepMs.toSorted((left, right) => left - right);
  return {
    sessions: tally.sessions,
    steps,
    measuredSteps: tally.measuredSteps,
    uses: recall.all.uses,
    farUses: recall.far.uses,
    locatorFarUses: recall.locatorFar.uses,
    valid: 1 - (tally.invalidSteps + tally.unsendableSteps) / steps,
    unsendableSteps: tally.unsendableSteps,
    brokenRules: tally.brokenRules,
    recall: recalls,
    macroRecall: tally.macroSum / tally.macroSteps,
    overflowSteps: tally.overflowSteps,
    stepsOverBudget: tally.stepsOverBudget,
    meanTokens: tally.sentTokens / (steps - tally.unsendableSteps),
    maxTokens: tally.maxTokens,
    overshoot: tally.maxTokens / budgetTokens,
    utilisation: tally.loadedTokens / loadedSteps / budgetTokens,
    costCached: tally.anthropicCost / tally.baseAnthropicCost,
    costCachedOpenai: tally.openaiCost / tally.baseOpenaiCost,
    costFlat: tally.sentTokens / tally.baseTokens,
    prefixKept: tally.prefixShareSum / tally.prefixSteps,
    breaks: tally.breaks,
    silentBreaks: tally.silentBreaks,
    compactions: tally.compactions,
    rewrittenTokens: tally.rewrittenTokens,
    userMessages: shareOf(tally.userTexts),
    ruleSentences: shareOf(tally.ruleSentences),
    files: shareOf(tally.files),
    pathPrecision: shareOf(tally.writtenPaths),
    determinismFaults: tally.determinismFaults,
    stepMsMedian: times[Math.floor(times.length / 2)] ?? Number.NaN,
    stepMsP95: times[Math.floor(times.length * 0.95)] ?? Number.NaN,
  };
}

export type Figures = ReturnType<typeof figuresOf>;
