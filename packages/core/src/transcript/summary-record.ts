import type { RecallId } from './entry.ts';

/** A user message that a fold replaced: verbatim, or its first and last characters when it did not fit. */
export interface CarriedMessage {
  readonly recallId: RecallId;
  readonly text: string;
  readonly isShortened: boolean;
}

export interface CarriedFile {
  readonly path: string;
  /** Newest message that touched it. */
  readonly recallId: RecallId;
  readonly wasRead: boolean;
  readonly wasChanged: boolean;
}

export interface CarriedFact {
  readonly text: string;
  readonly recallId: RecallId;
  /** How often it was mentioned in what is folded; facts that fit worst go first when space is short. */
  readonly mentions: number;
  /** Round that found it first; older rounds keep a share of the list. @default the record's own round */
  readonly round?: number;
}

/** An error that no later success of the same call has resolved. */
export interface CarriedError {
  readonly recallId: RecallId;
  readonly toolName: string;
  readonly line: string;
  /** Fingerprint of the failed call, so that a later success of the same call is recognised. */
  readonly callKey?: string;
}

/** Was the agent working when the fold was made, or waiting for the user? */
export type WaitState = 'working' | 'waiting-for-user';

/**
 * What a fold knows, as data: the parts written by code, and the model's prose. The next fold starts from it, so that
 * facts of round 1 survive round 10. Plain JSON. All lists are bounded (see `collect-record.ts`).
 */
export interface SummaryRecord {
  /** 1 for the first fold of a history; each later one merges its predecessors and counts one up. */
  readonly round: number;
  /** The task, where it was folded itself and no view shows it any more; shortened where it is long. */
  readonly task?: CarriedMessage;
  readonly prose: string;
  readonly proseBy: 'model' | 'digest' | 'none';
  readonly profile: string;
  readonly language?: string;
  /** Messages this and all merged rounds archived. */
  readonly archivedMessages: number;
  readonly userMessages: readonly CarriedMessage[];
  /** How many user messages fell out of the bound; they stay recallable. */
  readonly omittedUserMessages: number;
  readonly todos: readonly string[];
  readonly waitState: WaitState;
  readonly files: readonly CarriedFile[];
  readonly facts: readonly CarriedFact[];
  readonly unresolvedError?: CarriedError;
}
