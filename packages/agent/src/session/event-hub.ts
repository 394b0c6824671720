import type { Journal, StoredEvent } from '@throughline/ports';
import type { AgentEvent } from '@throughline/protocol/types';

const pageSize = 500;

/**
 * Hands events of one session on to those who listen, once they are stored. While the store is watched they are those of
 * all processes, each once and in order: where a number is missing the journal is read.
 */
export class EventHub {
  readonly #listeners = new Listeners<[AgentEvent]>();
  /** Listeners who are told only what this process stores. */
  readonly #ownListeners = new Listeners<[AgentEvent]>();
  /** Wake those who wait for what is stored next. */
  readonly #wakers = new Set<() => void>();
  readonly #journal: Journal;
  readonly #sessionId: string;
  /** Number of the newest event that was told, while the store is watched. */
  #told: number | undefined;
  /** Up to here the journal is not read: what others stored by then is old. */
  #readAfter = 0;
  #isFollowing = false;
  #newestOf: () => Promise<number> = () => Promise.resolve(0);
  /** Nothing that this process stored since is old. */
  #firstOwn = Infinity;
  #catchingUp: Promise<void> | undefined;
  #isBehind = false;

  constructor(journal: Journal, sessionId: string) {
    this.#journal = journal;
    this.#sessionId = sessionId;
  }

  /** From now on events of other processes are told as well: those behind a number that the store is asked for. */
  follow(newestOf: () => Promise<number>): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#newestOf = newestOf;
    this.#catchingUp = this.#catchUp();
  }

  /** Another process has stored something; of an event that was told already nothing is read. */
  onNews(lastEventSeq = Infinity): void {
    if (!this.#isFollowing || (this.#told !== undefined && lastEventSeq <= this.#told && !this.#isBehind))
      return;
    this.wake();
    this.#read();
  }

  publish(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#ownListeners.tell(asAgentEvent(event));
      this.#take(event);
    }
    if (events.length > 0) this.wake();
  }

  /** Told at once what this process stores, whatever others do meanwhile. */
  subscribeToOwn(listener: (event: AgentEvent) => void): Disposable {
    return this.#ownListeners.add(listener);
  }

  #take(event: StoredEvent): void {
    const { seq } = event;
    if (!this.#isFollowing) return this.#tellAll(event);
    this.#firstOwn = Math.min(this.#firstOwn, seq);
    if (this.#told !== undefined && seq <= this.#told) {
      // Stored already when the store was asked how far it is, and said to be so only now.
      if (seq <= this.#readAfter) this.#tellAll(event);
      return;
    }
    if (this.#told === undefined || this.#catchingUp || seq > this.#told + 1) return this.#read();
    this.#told = seq;
    this.#tellAll(event);
  }

  #tellAll(event: StoredEvent): void {
    this.#listeners.tell(asAgentEvent(event));
  }

  #read(): void {
    this.#isBehind = true;
    this.#catchingUp ??= this.#catchUp();
  }

  /** Never rejects: what the store does not tell now is asked for with the next news. */
  async #catchUp(): Promise<void> {
    try {
      if (this.#told === undefined) {
        const newest = await this.#newestOf();
        this.#readAfter = Math.min(newest, this.#firstOwn - 1);
        this.#told = this.#readAfter;
      }
      while (this.#isBehind) {
        this.#isBehind = false;
        for await (const event of this.#stored(this.#told)) {
          this.#told = event.seq;
          this.#tellAll(event);
        }
      }
    } catch {
      this.#isBehind = true;
    } finally {
      this.#catchingUp = undefined;
    }
  }

  /** Who waits for events looks into the journal again: the session may be gone. */
  wake(): void {
    for (const waker of this.#wakers) waker();
  }

  subscribe(listener: (event: AgentEvent) => void): Disposable {
    return this.#listeners.add(listener);
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
          yield asAgentEvent(event);
          if (isAborted()) return;
        }
      }
    } finally {
      this.#wakers.delete(onNews);
      signal?.removeEventListener('abort', onNews);
    }
  }

  async *#stored(after: number): AsyncGenerator<StoredEvent, void, undefined> {
    for (let seq = after; ;) {
      const page = await this.#journal.after(this.#sessionId, seq, pageSize);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      seq = last.seq;
    }
  }
}

/** What the agent stored is what it says: nobody else writes events. */
function asAgentEvent(event: StoredEvent): AgentEvent {
  return event as unknown as AgentEvent;
}

/** Those who are told of something, each once for each time that it was added. */
export class Listeners<Told extends readonly unknown[]> {
  readonly #listeners = new Set<(...told: Told) => void>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Until it is disposed of, or throws. */
  add(listener: (...told: Told) => void): Disposable {
    // The same function may subscribe twice: each subscription is its own.
    const own = (...told: Told): void => listener(...told);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  tell(...told: Told): void {
    for (const listener of this.#listeners) {
      try {
        listener(...told);
      } catch {
        // One listener's fault is not the run's, nor the others'.
        this.#listeners.delete(listener);
      }
    }
  }
}
