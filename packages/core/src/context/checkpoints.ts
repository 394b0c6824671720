import { mergeChanges } from '../changes/merge-changes.ts';
import { changeKey, isRangeChange } from '../changes/change.ts';
import { checkOption, wholeFrom } from '../errors/check-options.ts';
import { ContextError } from '../errors/context-error.ts';
import { badState } from '../history/check-input.ts';
import { isObject, objectOf } from '../json/json.ts';
import { upgradeCheckpoint } from '../pass/earlier-words.ts';
import { nothingTruncated, parseState } from '../pass/state.ts';
import type { OptionCheck } from '../errors/check-options.ts';
import type { Change } from '../changes/change.ts';
import type { ContextState } from '../pass/state.ts';
import type { Checkpoint } from './step.ts';

// Usage was measured on the other view: only the calibration of the estimate stays true.
const unmeasured = { usage: null, floorTokens: 0, offeredTokens: null } as const;

/** The state before a checkpoint, whether or not its view would fit: for preview and comparison. */
export function formerState(given: ContextState, stored: Checkpoint): ContextState {
  const state = parseState(given);
  const checkpoint = parseCheckpoint(stored);
  const added = new Set(checkpoint.changes.map(changeKey));
  const kept = state.changes.filter((change) => !added.has(changeKey(change)));
  return {
    ...state,
    changes: [...checkpoint.retired, ...kept],
    head: checkpoint.parent,
    // What was truncated in the same step comes back by itself: truncation is a function of the history.
    truncation: checkpoint.truncation,
    ...unmeasured,
    isAutoCompactionPaused: true,
  };
}

/** The state behind a checkpoint that was made behind this one: the other way of {@link formerState}. */
export function laterState(given: ContextState, stored: Checkpoint): ContextState {
  const state = parseState(given);
  const checkpoint = parseCheckpoint(stored);
  if (checkpoint.parent !== state.head) {
    const expected = `Expected a checkpoint behind ${String(state.head)}`;
    throw new ContextError('not-found', `${expected}, got one behind ${String(checkpoint.parent)}.`, {
      kind: 'checkpoint',
      id: checkpoint.id,
      known: [],
    });
  }
  return {
    ...state,
    changes: mergeChanges(state.changes, checkpoint.changes),
    head: checkpoint.id,
    ...unmeasured,
    isAutoCompactionPaused: false,
  };
}

/**
 * The state for the first messages of a history alone, as a session that begins as a copy of them needs it: with
 * the newest compaction in force that was made from those messages only. Its ids of checkpoints go on counting.
 *
 * @param end length of the shorter history
 * @param checkpoints of the session, in any order
 * @throws {ContextError} `invalid-option` for an end that is no whole number ≥ 0; `bad-state` for a state or a
 * checkpoint that is none.
 */
export function stateAt(state: ContextState, checkpoints: readonly Checkpoint[], end: number): ContextState {
  checkOption('checkpoints', aListOfCheckpoints, checkpoints);
  checkOption('end', wholeFrom(0), end);
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  let at = parseState(state);
  for (let head = headOf(at); head && head.historyEnd > end; head = headOf(at)) at = formerState(at, head);
  return {
    ...at,
    changes: at.changes.filter((change) => endOf(change) <= end),
    truncation: at.truncation.end <= end ? at.truncation : nothingTruncated,
    ...unmeasured,
    sentTokens: null,
    askedEnd: Math.min(at.askedEnd, end),
    isAutoCompactionPaused: false,
  };

  function headOf({ head }: ContextState): Checkpoint | undefined {
    return head === null ? undefined : byId.get(head);
  }
}

const aListOfCheckpoints: OptionCheck = {
  expected: 'a list of checkpoints',
  fits: (value) => Array.isArray(value) && value.every(isObject),
};

function endOf(change: Change): number {
  return isRangeChange(change) ? change.anchor.end : change.anchor.ordinal + 1;
}

/** The state under a checkpoint, in force or not: back to where the two ways part, and forth from there. */
export function stateBehind(
  state: ContextState,
  checkpoints: readonly Checkpoint[],
  target: string | null,
): ContextState {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const known = (id: string): Checkpoint => {
    const checkpoint = byId.get(id);
    if (checkpoint) return checkpoint;
    throw noCheckpoint(id, [...byId.keys()]);
  };
  if (target !== null) known(target);
  const way = checkpointsTo(checkpoints, target);
  let at = state;
  while (at.head !== null && !way.includes(at.head)) at = formerState(at, known(at.head));
  const left = at.head === null ? way : way.slice(way.indexOf(at.head) + 1);
  return left.reduce((behind, id) => laterState(behind, known(id)), at);
}

/** Ids from the first checkpoint to this one. */
export function checkpointsTo(checkpoints: readonly Checkpoint[], target: string | null): readonly string[] {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const way: string[] = [];
  for (let id = target; id !== null && !way.includes(id); id = byId.get(id)?.parent ?? null) way.unshift(id);
  return way;
}

/** The error for a checkpoint that there is not. */
export function noCheckpoint(id: string, known: readonly string[]): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no checkpoint ${id}.`, { kind: 'checkpoint', id, known });
}

/**
 * A checkpoint that came from outside, checked, and in the words of today.
 *
 * @throws {ContextError} `bad-state` for what is no checkpoint of a step.
 */
export function parseCheckpoint(stored: unknown): Checkpoint {
  const checkpoint = upgradeCheckpoint(stored);
  const { id, changes, retired, truncation, historyEnd } = objectOf(checkpoint);
  const isOne =
    typeof id === 'string' &&
    Array.isArray(changes) &&
    isObject(truncation) &&
    typeof historyEnd === 'number';
  if (!isOne || !Array.isArray(retired)) throw badState('the checkpoint of a step', checkpoint);
  return checkpoint as Checkpoint;
}
