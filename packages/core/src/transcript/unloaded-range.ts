import { messageRecallId } from './entry.ts';
import type { Entry, EntryId } from './entry.ts';

/** Messages `[first, end)` of the full history. */
export interface OrdinalRun {
  readonly first: number;
  readonly end: number;
}

/** A range of which not all messages were loaded. What is known of it is trusted: it was checked when it was made. */
export interface UnloadedRange extends OrdinalRun {
  readonly fingerprint: string;
  /** See `RangeAnchor`. */
  readonly runs?: readonly OrdinalRun[];
}

/**
 * A place holder for messages `[first, end)` that were not loaded: one position in the conversation, which no view may
 * show. It counts as answered, because nothing is left out of a view that the model has not answered.
 */
export function unloadedEntry(first: number, end: number): Entry {
  return {
    id: messageRecallId(first) as string as EntryId,
    ordinal: first,
    role: 'assistant',
    wire: undefined,
    parts: [],
    standsFor: end - first,
  };
}

export function isUnloaded({ standsFor }: Entry): boolean {
  return standsFor !== undefined;
}

/** Ordinal after the message, or after the last one that the place holder stands for. */
export function endOf({ ordinal, standsFor = 1 }: Entry): number {
  return ordinal + standsFor;
}
