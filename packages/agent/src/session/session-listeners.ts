import type { AgentEvent } from '../events/agent-event.ts';

type SessionListener = (sessionId: string, event: AgentEvent) => void;

/** Those who follow all sessions of an agent. */
export class SessionListeners {
  readonly #listeners = new Set<SessionListener>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  add(listener: SessionListener): Disposable {
    // The same function may subscribe twice: each subscription is its own.
    const own: SessionListener = (sessionId, event) => listener(sessionId, event);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  tell(sessionId: string, event: AgentEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(sessionId, event);
      } catch {
        // One listener's fault is not the run's, nor the others'.
        this.#listeners.delete(listener);
      }
    }
  }
}
