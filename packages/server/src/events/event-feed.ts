import type { Agent, AgentEvent } from '@throughline/agent';

/**
 * Where events come from: news as they are stored, and the journal for whatever somebody has missed. News are a hint:
 * what is not told is read, so that a feed may also leave some out, or tell them in another order.
 */
export interface EventFeed {
  /** Told of every event of every session, once it is stored. */
  subscribe(listener: (sessionId: string, event: AgentEvent) => void): Disposable;
  /**
   * Events of a session with a greater number, in order, at most `limit`.
   *
   * @throws {ContextError} `not-found` when there is no such session
   */
  after(sessionId: string, seq: number, limit: number): Promise<readonly AgentEvent[]>;
}

/** The events of an agent in this process. */
export function agentFeed(agent: Pick<Agent, 'subscribe' | 'store'>): EventFeed {
  return {
    subscribe: (listener) => agent.subscribe(listener),
    async after(sessionId, seq, limit) {
      const stored = await agent.store.journal.after(sessionId, seq, limit);
      // What the agent stored is what it says: nobody else writes events.
      return stored as unknown as readonly AgentEvent[];
    },
  };
}
