import { randomIds, systemClock, systemTimer } from '@throughline/system';
import { checkAgentOptions, checkNewSession } from '../options/check-agent-options.ts';
import { LiveSession } from './live-session.ts';
import { recoverSessions } from './recover-sessions.ts';
import type { NewSession } from '@throughline/ports';
import type { AgentOptions, AgentSetup } from '../options/agent-options.ts';
import type { Agent, AgentSession } from './agent.ts';

/**
 * An agent over a store: sessions that go on for as long as they must, whatever the model's window. Everything that
 * happens is stored before it is told, so that a process that dies loses at most 100 ms of streamed text.
 *
 * @throws {ContextError} `invalid-option` that names the option, for a misspelt one too.
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options);
  const setup: AgentSetup = { clock: systemClock, timer: systemTimer, ids: randomIds, ...options };
  const sessions = new Map<string, LiveSession>();
  const sessionOf = (id: string): LiveSession => {
    const known = sessions.get(id);
    if (known) return known;
    const session = new LiveSession(setup, id, () => sessions.delete(id));
    sessions.set(id, session);
    return session;
  };
  const { store, driver } = options;
  return {
    store,
    async create(session: NewSession = {}): Promise<AgentSession> {
      checkNewSession(session);
      const { id } = await store.sessions.create({ model: driver.name, ...session });
      return sessionOf(id);
    },
    async open(sessionId) {
      await store.sessions.read(sessionId);
      return sessionOf(sessionId);
    },
    recover: () => recoverSessions(setup, sessionOf),
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map((session) => session[Symbol.asyncDispose]()));
    },
  };
}
