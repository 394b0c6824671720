import type { NameSum, ProvenState, TimelineEntry } from './timeline.ts';
import type { RecallId } from './entry.ts';

/** A text of a message that a fold replaced: verbatim, or a part of it. */
export interface CarriedMessage {
  readonly recallId: RecallId;
  readonly text: string;
  readonly isShortened: boolean;
}

/** Was the agent working when the fold was made, or waiting for the user? */
export type WaitState = 'working' | 'waiting-for-user';

/**
 * What a fold knows, as data: the parts written by code, and the model's prose. The next fold starts from it, so that
 * what was said in round 1 is still said in round 10, and a history that is only partly loaded gives the same text.
 * Plain JSON, bounded by what is usable of the window.
 */
export interface SummaryRecord {
  /** 1 for the first fold of a history; each later one merges its predecessors and counts one up. */
  readonly round: number;
  /** The task, where it was folded itself and no view shows it any more; shortened where it is long. */
  readonly task?: CarriedMessage;
  readonly prose: string;
  readonly proseBy: 'model' | 'digest' | 'none';
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
