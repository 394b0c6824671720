import { ContextError } from '@throughline/core';
import type { Agent, AgentSession } from '@throughline/agent';
import type { Clock, ModelDriver } from '@throughline/ports';

/** What every way into the server works with. The composition root makes it; nothing here names a vendor or a database. */
export interface Services {
  readonly agent: Agent;
  readonly models: Models;
  readonly clock: Clock;
}

/** The models that may be asked for by name: those of the configuration. No request brings an address of its own. */
export interface Models {
  /** Names as `anthropic:claude-sonnet-5`, the default first. */
  readonly names: readonly string[];
  /** @throws {ContextError} for a name that is none of them */
  driverNamed(name: string): Promise<ModelDriver>;
}

/** Who asks. */
export interface Caller {
  /** Whose sessions are seen and made; empty where there is only one user. */
  readonly owner: string;
}

/**
 * The session, where it is the caller's. Somebody else's is not told from one that is not there.
 *
 * @throws {ContextError} `not-found`
 */
export function openSession(
  { agent }: Pick<Services, 'agent'>,
  { owner }: Caller,
  sessionId: string,
): Promise<AgentSession> {
  return agent.open(sessionId, { owner });
}

/** What a search for something that may not be there comes to. */
export function ignoreMissing(error: unknown): undefined {
  if (!ContextError.is(error, 'not-found')) throw error;
}
