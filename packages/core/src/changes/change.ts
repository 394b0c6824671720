import type { ArgumentText } from '../codecs/codec.ts';
import type { OrdinalRun } from '../transcript/unloaded-range.ts';
import type { FactIndex, Summary } from '../transcript/summary.ts';
import type { RecallId } from '../transcript/entry.ts';

/** Ties a change to one part of one message, so that it finds it again in a history that was sent anew. */
export interface PartAnchor {
  /** Position in the full history when the change was made: a hint, checked first. */
  readonly ordinal: number;
  /** Index of the part among the entry's parts. */
  readonly part: number;
  /** Fingerprint of the part's own canonical content. */
  readonly fingerprint: string;
}

/** A run of messages `[first, end)` in full-history positions. */
export interface RangeAnchor {
  readonly first: number;
  readonly end: number;
  /** Fingerprint over the range only: of its messages in order, or as `runs` says. */
  readonly fingerprint: string;
  /**
   * Runs of messages in the range, oldest first, that were not at hand when the fingerprint was made: it is the sum of
   * theirs and of those of the other messages. Where all are at hand, all are compared. Absent: they were at hand.
   */
  readonly runs?: readonly OrdinalRun[];
  /** Ordinals inside the range that stay in the view before what replaces it: the task. */
  readonly lead: readonly number[];
  /** Ordinals inside the range that stay in the view after what replaces it, in this order: latest request, pins. */
  readonly kept: readonly number[];
}

/** Where a summary is put: see `design-details.md` (c). `pair`: an assistant message after the real first request. */
export type Injection = 'pair' | 'assistant' | 'user';

export type ChangeReason =
  | 'truncation' // too large for its share before its first send
  | 'duplicate' // the same thing was read again later
  | 'old-output'
  | 'old-arguments'
  | 'space' // the history had to become smaller
  | 'reviewed' // a model decided that it is not needed any more, or not so much of it
  | 'oversized' // larger than the share of the window one item may take
  | 'binding' // signed reasoning behind an edited prefix
  | 'manual';

interface ChangeBase {
  readonly reason: ChangeReason;
  /**
   * Estimated tokens of what the change touches: as the view showed it when the step began, and with the change, a note
   * behind a summary included. The changes of a step add up to what the step saved.
   */
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Under which the original can be fetched again. */
  readonly recallId: RecallId;
}

/** The only way to alter a view. Plain JSON; replayed on the same history it gives the same bytes. */
export type Change = ChangeBase &
  (
    | {
        readonly type: 'result-truncated';
        readonly anchor: PartAnchor;
        readonly text: string;
        readonly keepMedia: boolean;
      }
    | { readonly type: 'result-pruned'; readonly anchor: PartAnchor; readonly text: string }
    | {
        readonly type: 'arguments-pruned';
        readonly anchor: PartAnchor;
        readonly values: readonly ArgumentText[];
      }
    | { readonly type: 'text-truncated'; readonly anchor: PartAnchor; readonly text: string }
    | { readonly type: 'media-dropped'; readonly anchor: PartAnchor; readonly text: string }
    | { readonly type: 'reasoning-dropped'; readonly anchor: PartAnchor }
    | {
        readonly type: 'range-compacted';
        readonly anchor: RangeAnchor;
        /** The text of the summary message, as sent. */
        readonly text: string;
        /** Names and numbers of the range, by message, in a message behind the summary; `null` where there are none. */
        readonly factIndex: FactIndex | null;
        readonly injection: Injection;
        readonly summary: Summary;
      }
    | {
        readonly type: 'range-dropped';
        readonly anchor: RangeAnchor;
        /** One sentence that says what was left out. */
        readonly text: string;
        readonly injection: Injection;
        /** Not shown; the next compaction starts from it, so that nothing is forgotten. */
        readonly summary: Summary;
      }
  );

export type ChangeType = Change['type'];
export type RangeChange = Extract<Change, { anchor: RangeAnchor }>;
export type PartLevelChange = Exclude<Change, RangeChange>;
export type ChangeOf<Type extends ChangeType> = Extract<Change, { type: Type }>;
