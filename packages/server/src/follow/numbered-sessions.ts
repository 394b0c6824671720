import { ContextError } from '@throughline/core';
import { ignoreMissing } from '../services.ts';
import type { Agent } from '@throughline/agent';

/** Sessions that belong together are numbered from 1. */
export type NumberedId = (number: number) => string;

/** How many there are: it takes the logarithm of their number in looks. */
export async function countNumbered({ store }: Pick<Agent, 'store'>, idOf: NumberedId): Promise<number> {
  const exists = async (number: number): Promise<boolean> =>
    (await store.sessions.read(idOf(number)).catch(ignoreMissing)) !== undefined;
  let low = 0;
  let high = 1;
  while (await exists(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await exists(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Makes the next one, and what `create` gives of it with its number. */
export async function createNumbered<Made>(
  idOf: NumberedId,
  from: number,
  create: (id: string) => Promise<Made>,
): Promise<{ readonly made: Made; readonly number: number }> {
  for (let number = from; ; number += 1) {
    try {
      return { made: await create(idOf(number)), number };
    } catch (error) {
      // Another request has just made one.
      if (!ContextError.is(error, 'already-exists')) throw error;
    }
  }
}
