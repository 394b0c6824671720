import { ContextError } from '../errors/context-error.ts';
import { formerState } from './undo.ts';
import { laterState } from './redo.ts';
import type { Checkpoint } from './step.ts';
import type { ContextState } from '../pass/state.ts';

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
