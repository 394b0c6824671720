import { ContextError } from '@throughline/core';
import { openSession } from '../services.ts';
import type { AgentSession } from '@throughline/agent';
import type { Caller, Services } from '../services.ts';

/**
 * The caller's session of this id, made where there is none.
 *
 * @throws {ContextError} `not-found` where the id is somebody else's: as if it were not there.
 */
export async function openOrCreate(
  services: Pick<Services, 'agent'>,
  caller: Caller,
  id: string,
): Promise<AgentSession> {
  try {
    return await openSession(services, caller, id);
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
  }
  try {
    return await services.agent.create({ id, owner: caller.owner });
  } catch (error) {
    // Somebody else's, or one that another request has just made.
    if (ContextError.is(error, 'already-exists')) return await openSession(services, caller, id);
    throw error;
  }
}
