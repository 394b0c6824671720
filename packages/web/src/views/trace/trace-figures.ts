import type { TraceNote, TraceRun, TraceStep } from '../../data/types.ts';

/** The context at one step, for the chart and its table. */
export interface ContextPoint {
  /** Counts up over the whole session, from 1. */
  readonly at: number;
  readonly seq: number;
  readonly startedAtMs: number;
  /** Tokens of the request, as the provider counted them; `null` where it did not. */
  readonly inputTokens: number | null;
  /** Those of them that were read from the provider's cache. */
  readonly cacheReadTokens: number | null;
  readonly outputTokens: number | null;
  /** Compactions that were made between this step and the next. */
  readonly compactions: number;
}

function stepsOf(runs: readonly TraceRun[]): readonly TraceStep[] {
  return runs.flatMap(({ steps }) => steps);
}

/** All notes, in the order in which they were told. */
export function notesOf(runs: readonly TraceRun[]): readonly TraceNote[] {
  const notes = runs.flatMap((run) => [...run.notes, ...run.steps.flatMap((step) => step.notes)]);
  return notes.toSorted((a, b) => a.seq - b.seq);
}

export function contextPoints(runs: readonly TraceRun[]): readonly ContextPoint[] {
  const steps = stepsOf(runs);
  const compacted = notesOf(runs).filter(({ type }) => type === 'context:compressed');
  return steps.map(({ seq, startedAtMs, usage }, index) => {
    const next = steps[index + 1]?.seq ?? Infinity;
    return {
      at: index + 1,
      seq,
      startedAtMs,
      inputTokens: usage && usage.input,
      cacheReadTokens: usage && usage.cacheRead,
      outputTokens: usage && usage.output,
      compactions: compacted.filter((note) => note.seq > seq && note.seq < next).length,
    };
  });
}

interface TraceSums {
  readonly steps: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  readonly compactions: number;
  readonly failures: number;
}

const failureTypes: ReadonlySet<string> = new Set(['llm:error', 'compaction:error']);

/** From the steps, never from what the model sees now: a compaction takes nothing off. */
export function traceSums(runs: readonly TraceRun[]): TraceSums {
  const steps = stepsOf(runs);
  const notes = notesOf(runs);
  const sum = (value: (step: TraceStep) => number): number =>
    steps.reduce((all, step) => all + value(step), 0);
  return {
    steps: steps.length,
    calls: sum(({ calls }) => calls.length),
    inputTokens: sum(({ usage }) => usage?.input ?? 0),
    cacheReadTokens: sum(({ usage }) => usage?.cacheRead ?? 0),
    outputTokens: sum(({ usage }) => usage?.output ?? 0),
    durationMs: sum(({ durationMs }) => durationMs ?? 0),
    compactions: notes.filter(({ type }) => type === 'context:compressed').length,
    failures: notes.filter(({ type }) => failureTypes.has(type)).length,
  };
}
