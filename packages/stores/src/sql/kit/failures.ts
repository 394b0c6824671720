import { ContextError } from '@throughline/core';

/** Something was named that is not there. */
export function notFound(kind: string, id: string): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no ${kind} ${id}.`, { kind, id, known: [] });
}

export function alreadyExists(kind: string, id: string): ContextError<'already-exists'> {
  return new ContextError('already-exists', `There is already a ${kind} ${id}.`, { kind, id });
}

type Numbers = readonly [number, number];

/**
 * The numbers a cursor is made of.
 *
 * @throws {ContextError} `invalid-option` for what is no cursor of ours.
 */
export function numbersOf(cursor: string, count: 1 | 2): Numbers {
  const pattern = count === 1 ? /^(\d{1,15})$/ : /^(\d{1,15})\.(\d{1,15})$/;
  const match = pattern.exec(cursor);
  if (match) return [Number(match[1]), Number(match[2] ?? 0)];
  throw new ContextError('invalid-option', 'A cursor is the `next` of the page before.', {
    option: 'cursor',
    expected: '`next` of the page before',
    received: cursor,
  });
}
