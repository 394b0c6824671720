import { objectOf } from '../json/json.ts';
import { isChange } from '../changes/change.ts';
import { ContextError } from '../errors/context-error.ts';
import { badState } from '../history/check-input.ts';
import { upgradeState } from './earlier-words.ts';
import { isSlope, soundCalibration, uncalibrated } from '../tokens/calibration.ts';
import { remembered } from '../transcript/memory.ts';
import type { Change } from '../changes/change.ts';
import type { LearnedScale } from './report.ts';
import type { Calibration } from '../tokens/calibration.ts';

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

/** The part of the history whose results have been truncated, told by its last message. */
export interface TruncationProgress {
  /** Ordinal after the last message of it. */
  readonly end: number;
  /** Fingerprint of that message; `''` where nothing was truncated. */
  readonly last: string;
}

export const nothingTruncated: TruncationProgress = { end: 0, last: '' };

/**
 * Everything the engine remembers of a session between two steps. Plain JSON with a version: store it anywhere, go on
 * in another process. It holds only the changes in force; what they replaced is in the checkpoints.
 */
export interface ContextState {
  readonly version: 2;
  readonly changes: readonly Change[];
  /** The newest checkpoint, the one that `undo` takes back; `null` before the first. */
  readonly head: string | null;
  /** Checkpoints made so far, also undone ones: their ids never repeat. */
  readonly checkpointCount: number;
  /** How much of the history has been truncated. */
  readonly truncation: TruncationProgress;
  readonly calibration: Calibration;
  /** What was sent last: the estimate of its messages. */
  readonly sentTokens: number | null;
  readonly usage: MeasuredUsage | null;
  readonly learnedWindow: LearnedWindow | null;
  /** What is known of the model that writes summaries; `null` before it has answered. */
  readonly summariser: LearnedScale | null;
  /** Measured size after the last pass over the ladder: the next one waits until the view has grown past it. */
  readonly floorTokens: number;
  /** Ordinal after the newest message when a model was last asked for a summary; 0 before the first time. */
  readonly askedEnd: number;
  /** Fingerprint of system text and tools of the last request; `null` before the first. */
  readonly fixedKey: string | null;
  /** Measured size when a background summary was last offered; `null` since the last pass. */
  readonly offeredTokens: number | null;
  /** Fingerprint of the system text and the tools of which it was said that they take most of the room. */
  readonly crowdedKey: string | null;
  /** After an undo: nothing is compacted automatically until space is needed. */
  readonly isAutoCompactionPaused: boolean;
}

/** The state of a session that has not begun. A calibration may come from earlier sessions of the same model. */
export function emptyState(calibration: Calibration = uncalibrated): ContextState {
  return {
    version: 2,
    changes: [],
    head: null,
    checkpointCount: 0,
    truncation: nothingTruncated,
    calibration,
    sentTokens: null,
    usage: null,
    learnedWindow: null,
    summariser: null,
    floorTokens: 0,
    askedEnd: 0,
    fixedKey: null,
    offeredTokens: null,
    crowdedKey: null,
    isAutoCompactionPaused: false,
  };
}

/**
 * A state that came from outside (a file, a database), checked, and in the words of today. A measure in it that is no
 * number is forgotten: it is made anew at the next step.
 *
 * @throws {ContextError} `bad-state` when it is no state, was written by a newer version, or holds no such changes.
 */
export function parseState(stored: unknown): ContextState {
  const value = upgradeState(stored);
  const { version, changes } = objectOf(value);
  if (version !== 2 || !Array.isArray(changes))
    throw badState('a context state of version 1 or 2', whatItIs(value));
  requireChanges(changes);
  return soundState(value as ContextState);
}

function whatItIs(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  const { version } = value as Partial<ContextState>;
  return version === 2 ? 'one without a list of changes' : `version ${String(version)}`;
}

/** A state is parsed at every step, and its list is mostly the one of the step before. */
const requireChanges = remembered((changes: readonly unknown[]) => {
  const index = changes.findIndex((change) => !isChange(change));
  if (index >= 0) {
    const expected = 'a context state whose changes are the engine’s own';
    throw new ContextError('bad-state', `Expected ${expected}, got something else as change ${index + 1}.`, {
      expected,
      received: changes[index],
    });
  }
  return true;
});

type Remembered = Omit<ContextState, 'version' | 'changes' | 'calibration'>;

type Guards = { readonly [Field in keyof Remembered]: (value: unknown) => value is Remembered[Field] };

/** What a field may hold. A new field does not compile without a row. */
const guards: Guards = {
  head: (value): value is string | null => value === null || typeof value === 'string',
  checkpointCount: isTokens,
  truncation: (value): value is TruncationProgress => {
    const { end, last } = objectOf(value);
    return isTokens(end) && typeof last === 'string';
  },
  sentTokens: isTokensOrNull,
  usage: (value): value is MeasuredUsage | null => {
    const { actualTokens, estimateTokens } = objectOf(value);
    return value === null || (isTokens(actualTokens) && actualTokens > 0 && isTokens(estimateTokens));
  },
  learnedWindow: (value): value is LearnedWindow | null => {
    const { windowTokens, atMs } = objectOf(value);
    const isTime = atMs === undefined || typeof atMs === 'number';
    return value === null || (isTokens(windowTokens) && windowTokens >= 1 && isTime);
  },
  summariser: (value): value is LearnedScale | null => {
    const { slope, windowTokens } = objectOf(value);
    const isWindow = windowTokens === null || (isTokens(windowTokens) && windowTokens >= 1);
    return value === null || ((slope === null || isSlope(slope)) && isWindow);
  },
  floorTokens: isTokens,
  askedEnd: isTokens,
  fixedKey: (value): value is string | null => value === null || typeof value === 'string',
  offeredTokens: isTokensOrNull,
  crowdedKey: (value): value is string | null => value === null || typeof value === 'string',
  isAutoCompactionPaused: (value): value is boolean => typeof value === 'boolean',
};

const fields = Object.keys(guards) as readonly (keyof Remembered)[];

/** The same object where nothing is wrong; else what a file has lost (`NaN` is `null` in JSON) is as before the first step. */
function soundState(state: ContextState): ContextState {
  const empty = emptyState();
  const calibration = soundCalibration(state.calibration);
  const known = calibration === state.calibration ? state : { ...state, calibration };
  return fields.reduce(
    (sound, field) => (guards[field](sound[field]) ? sound : { ...sound, [field]: empty[field] }),
    known,
  );
}

function isTokens(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isTokensOrNull(value: unknown): value is number | null {
  return value === null || isTokens(value);
}
