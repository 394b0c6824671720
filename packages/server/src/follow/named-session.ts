import { createHash } from 'node:crypto';
import { ContextError } from '@throughline/core';
import { ignoreMissing } from '../services.ts';
import type { Caller, Services } from '../services.ts';
import type { Agent } from '@throughline/agent';

/** An id that is the same whenever it is made of the same things, and that nobody else comes upon. */
export function derivedId(kind: string, ...from: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(from)).digest('hex');
  return `${kind}_${hash.slice(0, 32)}`;
}

/**
 * The id of the session that a client's own name for a conversation stands for: the caller's session of that id, or one
 * that may be made. Names of owners are their own: whether somebody else has a session of that id, nobody can see.
 */
export async function sessionIdOf(
  { agent }: Pick<Services, 'agent'>,
  { owner }: Caller,
  name: string,
): Promise<string> {
  const known = await ownerOf(agent.store, name);
  if (known === owner) return name;
  return known === undefined && owner === '' ? name : derivedId('named', owner, name);
}

async function ownerOf({ sessions }: Services['agent']['store'], id: string): Promise<string | undefined> {
  try {
    return (await sessions.read(id)).owner;
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return undefined;
    throw error;
  }
}

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
