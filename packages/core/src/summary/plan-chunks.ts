import { fullCaps, historyText } from './history-text.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { FoldSource } from './fold-source.ts';
import type { HistoryCaps } from './history-text.ts';

export interface ChunkPlan {
  /** Exclusive ends of the chunks, as indexes into `entries`. */
  readonly chunkEnds: readonly number[];
  readonly caps: HistoryCaps;
}

export interface PlanOptions {
  /** Index into `entries` where the first chunk starts. */
  readonly from: number;
  /** Most tokens of history in one request. */
  readonly roomTokens: number;
  readonly maxChunks: number;
  readonly estimator: Estimator;
}

/** Tried in this order until everything fits; the last ones only say that something was there. */
const steps: readonly HistoryCaps[] = [
  fullCaps,
  { messageChars: 1_200, resultChars: 300, unitChars: 20_000 },
  { messageChars: 700, resultChars: 160, unitChars: 8_000 },
  { messageChars: 350, resultChars: 80, unitChars: 3_000 },
  { messageChars: 160, resultChars: 40, unitChars: 1_000 },
  { messageChars: 80, resultChars: 20, unitChars: 300 },
  { messageChars: 40, resultChars: 12, unitChars: 80 },
  { messageChars: 16, resultChars: 8, unitChars: 44 },
];

/**
 * Cuts what is folded into chunks at closed groups, each within the room of one request. Where that takes more chunks
 * than allowed, less of each message is shown; no group is skipped. `undefined` when even that does not fit.
 */
export function planChunks(source: FoldSource, options: PlanOptions): ChunkPlan | undefined {
  const units = unitsFrom(source, options.from);
  if (units.length === 0) return { chunkEnds: [], caps: fullCaps };
  for (const caps of steps) {
    const chunkEnds = fill(source.entries, units, caps, options);
    if (chunkEnds !== undefined) return { chunkEnds, caps };
  }
  return undefined;
}

interface Span {
  readonly first: number;
  readonly end: number;
}

function unitsFrom({ entries, unitStarts }: FoldSource, from: number): Span[] {
  const starts = [
    ...new Set([from, ...unitStarts.filter((start) => start > from && start < entries.length)]),
  ].sort((a, b) => a - b);
  return starts
    .map((first, index) => ({ first, end: starts[index + 1] ?? entries.length }))
    .filter(({ first, end }) => end > first);
}

function fill(
  entries: readonly Entry[],
  units: readonly Span[],
  caps: HistoryCaps,
  options: PlanOptions,
): number[] | undefined {
  const { roomTokens, maxChunks, estimator } = options;
  const ends: number[] = [];
  let spent = 0;
  let end = units[0]?.first ?? 0;
  for (const unit of units) {
    const tokens = estimator.count(historyText(entries.slice(unit.first, unit.end), caps)) + 1;
    if (tokens > roomTokens) return undefined;
    if (spent + tokens > roomTokens) {
      ends.push(end);
      if (ends.length >= maxChunks) return undefined;
      spent = 0;
    }
    spent += tokens;
    end = unit.end;
  }
  ends.push(end);
  return ends;
}

/** The text of one chunk. Same cutting as in the plan, unit by unit. */
export function chunkText(source: FoldSource, span: Span, caps: HistoryCaps): string {
  return unitsFrom({ ...source, entries: source.entries.slice(0, span.end) }, span.first)
    .map(({ first, end }) => historyText(source.entries.slice(first, end), caps))
    .filter((text) => text !== '')
    .join('\n');
}
