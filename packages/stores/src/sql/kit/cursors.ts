import { ContextError } from '@throughline/core';

/** Where a list goes on: what stands in the last row of a page. */
export function cursorOf(...numbers: readonly number[]): string {
  return numbers.join('.');
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
