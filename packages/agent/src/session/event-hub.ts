import type { Journal, StoredEvent } from '@throughline/ports';
import type { AgentEvent } from '../events/agent-event.ts';

const pageSize = 500;

/** Hands events of one session on to those who listen, once they are stored. */
export class EventHub {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Of those who wait for what is stored next. */
  readonly #wakers = new Set<() => void>();
  readonly #journal: Journal;
  readonly #sessionId: string;

  constructor(journal: Journal, sessionId: string) {
    this.#journal = journal;
    this.#sessionId = sessionId;
  }

  publish(events: readonly StoredEvent[]): void {
    for (const event of events) {
      for (const listener of this.#listeners) this.#tell(listener, event);
    }
    if (events.length > 0) this.wake();
  }

  /** Who waits for events looks into the journal again: the session may be gone. */
  wake(): void {
    for (const waker of this.#wakers) waker();
  }

  subscribe(listener: (event: AgentEvent) => void): Disposable {
    // The same function may subscribe twice: each subscription is its own.
    const own = (event: AgentEvent): void => listener(event);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  /**
   * Stored events after a number, then those to come; each once, in order. What is told is read from the journal, so
   * that a slow reader costs no memory, and one who comes late to a part that has ended gets it whole. Ends when the
   * signal is aborted.
   *
   * @throws {ContextError} `not-found` when the session is deleted
   */
  async *events({
    after = 0,
    signal,
  }: { readonly after?: number; readonly signal?: AbortSignal } = {}): AsyncGenerator<
    AgentEvent,
    void,
    undefined
  > {
    let wake = Promise.withResolvers<void>();
    const onNews = (): void => wake.resolve();
    const isAborted = (): boolean => signal?.aborted === true;
    signal?.addEventListener('abort', onNews, { once: true });
    this.#wakers.add(onNews);
    try {
      for (let seq = after; !isAborted(); await wake.promise) {
        // What comes from now on is news, also what is stored while the journal is read.
        wake = Promise.withResolvers<void>();
        if (isAborted()) return;
        for await (const event of this.#stored(seq)) {
          seq = event.seq;
          yield event;
          if (isAborted()) return;
        }
      }
    } finally {
      this.#wakers.delete(onNews);
      signal?.removeEventListener('abort', onNews);
    }
  }

  async *#stored(after: number): AsyncGenerator<AgentEvent, void, undefined> {
    for (let seq = after; ;) {
      const page = await this.#journal.after(this.#sessionId, seq, pageSize);
      for (const event of page) yield asAgentEvent(event);
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      seq = last.seq;
    }
  }

  #tell(listener: (event: AgentEvent) => void, event: StoredEvent): void {
    try {
      listener(asAgentEvent(event));
    } catch {
      // One listener's fault is not the run's, nor the others'.
      this.#listeners.delete(listener);
    }
  }
}

/** What the agent stored is what it says: nobody else writes events. */
function asAgentEvent(event: StoredEvent): AgentEvent {
  return event as unknown as AgentEvent;
}
