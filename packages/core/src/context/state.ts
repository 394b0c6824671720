import { ContextError } from '../errors/context-error.ts';
import { uncalibrated } from '../tokens/calibration.ts';
import type { Calibration } from '../tokens/calibration.ts';
import type { Change } from '../changes/change.ts';

/** The provider's count of the last request, and what the estimator said of the messages in it. */
export interface MeasuredUsage {
  readonly actualTokens: number;
  readonly estimateTokens: number;
}

/** A limit that the provider's own error named. */
export interface LearnedWindow {
  readonly windowTokens: number;
  readonly atMs?: number;
}

/** The part of the history whose results have been through admission, told by its last message. */
export interface Admitted {
  /** Ordinal after the last message of it. */
  readonly end: number;
  /** Fingerprint of that message; `''` where nothing was admitted. */
  readonly last: string;
}

export const nothingAdmitted: Admitted = { end: 0, last: '' };

/**
 * Everything the engine remembers of a session between two steps. Plain JSON with a version: store it anywhere, go on
 * in another process. It holds only the changes in force; what they replaced is in the checkpoints.
 */
export interface ContextState {
  readonly version: 1;
  readonly changes: readonly Change[];
  /** The newest checkpoint, the one that `undo` takes back; `null` before the first. */
  readonly head: string | null;
  /** Checkpoints made so far, also undone ones: their ids never repeat. */
  readonly checkpointCount: number;
  /** How much of the history has been through admission. */
  readonly admitted: Admitted;
  readonly calibration: Calibration;
  /** What was sent last: the estimate of its messages. */
  readonly sentTokens: number | null;
  readonly usage: MeasuredUsage | null;
  readonly learnedWindow: LearnedWindow | null;
  /** Measured size after the last pass over the ladder: the next one waits until the view has grown past it. */
  readonly floorTokens: number;
  /** Measured size when a background summary was last offered; `null` since the last pass. */
  readonly offeredTokens: number | null;
  /** After an undo: nothing is compacted automatically until space is needed. */
  readonly isHeld: boolean;
}

/** The state of a session that has not begun. A calibration may come from earlier sessions of the same model. */
export function emptyState(calibration: Calibration = uncalibrated): ContextState {
  return {
    version: 1,
    changes: [],
    head: null,
    checkpointCount: 0,
    admitted: nothingAdmitted,
    calibration,
    sentTokens: null,
    usage: null,
    learnedWindow: null,
    floorTokens: 0,
    offeredTokens: null,
    isHeld: false,
  };
}

/**
 * A state that came from outside (a file, a database), checked.
 *
 * @throws {ContextError} `bad-state` when it is no state, or was written by a newer version.
 */
export function parseState(value: unknown): ContextState {
  const state = value as Partial<ContextState> | null;
  if (typeof state !== 'object' || state === null || state.version !== 1 || !Array.isArray(state.changes)) {
    const received =
      typeof state === 'object' && state !== null ? `version ${String(state.version)}` : typeof value;
    throw new ContextError('bad-state', `Expected a context state of version 1, got ${received}.`, {
      expected: 'a context state of version 1',
      received,
    });
  }
  return state as ContextState;
}
