import { ContextError } from '@throughline/core';

/** Something was named that is not there. */
export function notFound(kind: string, id: string): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no ${kind} ${id}.`, { kind, id, known: [] });
}

export function alreadyExists(kind: string, id: string): ContextError<'already-exists'> {
  return new ContextError('already-exists', `There is already a ${kind} ${id}.`, { kind, id });
}
