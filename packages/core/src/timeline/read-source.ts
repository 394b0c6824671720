import { addNames, nameSums } from '../facts/fact-index.ts';
import { answersOf, readEntries } from './read-entries.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { NameSums } from '../facts/fact-index.ts';
import type { Summary, TimelineEntry } from '../transcript/summary.ts';

/** What newly compacted messages come to. */
export interface SourceReading {
  /** Theirs alone, oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** Of all archived messages, these included. */
  readonly sums: NameSums;
  readonly answers: ReadonlyMap<CallPart, ResultPart>;
}

export interface SourceMessages {
  readonly entries: readonly Entry[];
  /** What stays in the view behind them, oldest first: it says what of them was needed later. */
  readonly after: readonly Entry[];
  readonly previous?: Summary | undefined;
}

export function readSource({ entries, after, previous }: SourceMessages): SourceReading {
  const sums = nameSums(previous?.names);
  addNames(sums, entries);
  const answers = answersOf(entries);
  return { timeline: readEntries(entries, { after, sums, answers }), sums, answers };
}
