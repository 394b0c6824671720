import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { checkAgentOptions, checkNewSession } from './options/check-agent-options.ts';
import { LiveSession } from './session/live-session.ts';
import { SessionListeners } from './session/session-listeners.ts';
import type { NewSession, SessionStore, UnfinishedSession } from '@throughline/ports';
import type { AgentEvent, RunOutcome } from './events/agent-event.ts';
import type { AgentOptions, AgentSetup } from './options/agent-options.ts';
import type { AgentSession } from './session/agent-session.ts';

/** Works on sessions of one store with one model, one set of tools and one policy. */
export interface Agent extends AsyncDisposable {
  /** Lists, deletes, exports and imports sessions, running or not. */
  readonly store: SessionStore;
  create(session?: NewSession): Promise<AgentSession>;
  /** The same object for the same id until it is disposed of. @throws {ContextError} `not-found` */
  open(sessionId: string): Promise<AgentSession>;
  /**
   * Told every event of every session of this agent once it is stored, whoever opened the session and however often. A
   * listener that throws is not called again.
   */
  subscribe(listener: (sessionId: string, event: AgentEvent) => void): Disposable;
  /**
   * Goes on with what processes that died have left; those sessions. Waits for leases that are still good, at most as
   * long as one lives.
   */
  recover(): Promise<readonly AgentSession[]>;
}

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
  const listeners = new SessionListeners();
  const sessionOf = (id: string): LiveSession => {
    const known = sessions.get(id);
    if (known) return known;
    const session = new LiveSession(setup, id, { open: sessionOf, forget: (one) => sessions.delete(one) });
    sessions.set(id, session);
    session.subscribe((event) => listeners.tell(id, event));
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
    subscribe: (listener) => listeners.add(listener),
    recover: () => recoverSessions(setup, sessionOf),
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map((session) => session[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Goes on with what processes that died have left: runs that did not end, and messages that were to start the next run.
 * A lease that is still good is waited for: who holds it may be alive, and then goes on by itself. What is held after a
 * cancel or an error stays held.
 */
async function recoverSessions(
  setup: AgentSetup,
  sessionOf: (id: string) => AgentSession,
): Promise<readonly AgentSession[]> {
  const left = await setup.store.journal.unfinished();
  const recovered = await Promise.all(left.map((one) => recover(setup, one, sessionOf)));
  return recovered.filter((session) => session !== undefined);
}

async function recover(
  { store, clock, timer }: AgentSetup,
  { sessionId, leasedUntilMs }: UnfinishedSession,
  sessionOf: (id: string) => AgentSession,
): Promise<AgentSession | undefined> {
  const session = sessionOf(sessionId);
  if (session.isRunning) return undefined;
  if (leasedUntilMs !== null) await timer.wait(Math.max(1, leasedUntilMs - clock.nowMs() + 1));
  const last = (await store.journal.runs(sessionId)).at(-1);
  const outcome = last?.outcome as RunOutcome | null | undefined;
  const isHeld = last !== undefined && last.endedAtMs !== null && outcome?.type !== 'completed';
  if (isHeld) return undefined;
  return (await session.resume()) && session;
}
