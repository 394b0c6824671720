import type { NameSum, ProvenState, TimelineEntry } from './timeline.ts';
import type { RecallId } from './entry.ts';

/** A text of a message that a compaction replaced: verbatim, or a part of it. */
export interface CarriedMessage {
  readonly recallId: RecallId;
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Was the agent working when the compaction was made, or waiting for the user? */
export type WaitState = 'working' | 'waiting-for-user';

/**
 * What a compaction knows, as data: the parts written by code, and the model's prose. The next compaction starts from it, so that
 * what was said in round 1 is still said in round 10, and a history that is only partly loaded gives the same text.
 * Plain JSON, bounded by what is usable of the window.
 */
export interface Summary {
  /** 1 for the first compaction of a history; each later one merges its predecessors and counts one up. */
  readonly round: number;
  /** The task, where it was compacted itself and no view shows it any more; truncated where it is long. */
  readonly task?: CarriedMessage;
  readonly prose: string;
  readonly proseBy: 'model' | 'code' | 'none';
  /** Ordinal of the last message that the prose tells of; -1 where there is no prose. */
  readonly proseEnd: number;
  readonly profile: string;
  /** Messages this and all merged rounds archived. */
  readonly archivedMessages: number;
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  readonly names: readonly NameSum[];
  readonly state: ProvenState;
  readonly waitState: WaitState;
}
