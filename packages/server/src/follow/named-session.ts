import { createHash } from 'node:crypto';
import { ContextError } from '@throughline/core';
import type { Caller, Services } from '../services.ts';

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
