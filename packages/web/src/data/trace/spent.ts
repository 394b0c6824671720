import { findModel, pricingOf } from '@throughline/core';
import type { TraceNote, TraceRun, TraceStep } from '@throughline/client';

/** What steps have taken together. */
export interface Spent {
  readonly steps: number;
  /** Steps whose tokens nobody has counted: they were cut off, or their provider does not say. */
  readonly uncounted: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** US dollars by the list prices of the models, summaries included. */
  readonly usd: number;
  /** Steps whose model has a known price. */
  readonly priced: number;
}

export const nothingSpent: Spent = {
  steps: 0,
  uncounted: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  usd: 0,
  priced: 0,
};

export function together(one: Spent, other: Spent): Spent {
  return {
    steps: one.steps + other.steps,
    uncounted: one.uncounted + other.uncounted,
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    usd: one.usd + other.usd,
    priced: one.priced + other.priced,
  };
}

/**
 * From the steps, each at the price of the model that took it, never from what the model sees now: no compaction, no undo
 * and no other model takes anything off.
 */
export function spentOf(runs: readonly TraceRun[]): Spent {
  const parts = runs.flatMap(({ steps, notes, outcome }) => [
    // The last step of a run that has not ended is still at work.
    ...steps
      .filter(({ usage }, place) => usage || outcome || place < steps.length - 1)
      .flatMap((step) => [spentByStep(step), ...step.notes.map(spentByNote)]),
    ...notes.map(spentByNote),
  ]);
  return parts.reduce(together, nothingSpent);
}

function spentByStep({ model, usage }: TraceStep): Spent {
  if (!usage) return { ...nothingSpent, steps: 1, uncounted: 1 };
  const { input, output, cacheRead, cacheWrite } = usage;
  const counted = { inputTokens: input, cacheReadTokens: cacheRead, outputTokens: output };
  const entry = findModel(model)?.entry;
  const prices = entry && pricingOf(entry)?.prices;
  if (!prices) return { ...nothingSpent, ...counted, steps: 1 };
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const read = fresh * prices.input + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite;
  return {
    ...nothingSpent,
    ...counted,
    steps: 1,
    priced: 1,
    usd: (read + output * prices.output) / 1_000_000,
  };
}

/** A model that wrote a summary was asked apart from the steps. */
function spentByNote(note: TraceNote): Spent {
  if (note.type !== 'context:compressed') return nothingSpent;
  const { cost } = note.data as { readonly cost?: { readonly summariserUsd?: unknown } | null };
  const usd = cost?.summariserUsd;
  return typeof usd === 'number' ? { ...nothingSpent, usd } : nothingSpent;
}
