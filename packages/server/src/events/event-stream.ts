import { ContextError } from '@throughline/core';
import { batchesOf, EventBatch } from './event-frame.ts';
import { ReaderConnection } from './reader-connection.ts';
import type { AgentEvent } from '@throughline/agent';
import type { CloseReason } from './event-frame.ts';
import type { ConnectionOptions } from './reader-connection.ts';
import type { EventFeed } from './event-feed.ts';

/** Events read from the journal at once. */
const pageSize = 64;

interface EventStreamOptions extends ConnectionOptions {
  readonly feed: Pick<EventFeed, 'after'>;
  readonly sessionId: string;
  /** The number behind which it begins. */
  readonly after: number;
  /** Asked of each event that is sent, in order: after one it is `true` of, the stream ends. @default it goes on */
  readonly isLast?: ((event: AgentEvent) => boolean) | undefined;
}

/** The events of one session on their way to one reader: each once, in order, however slow the reader is. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #connection: ReaderConnection;
  #sentSeq: number;
  /** Something was stored while the journal was read. */
  #hasNews = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#connection = new ReaderConnection(options, () => this.#readMissed());
    this.#sentSeq = options.after;
  }

  start(): void {
    this.#connection.start();
  }

  /** News. They are sent at once where the reader has all that was before, and are left to the journal otherwise. */
  take(batch: EventBatch): void {
    this.#hasNews = true;
    if (!this.#connection.isLive) return;
    if (batch.follows(this.#sentSeq)) this.#send(batch);
    else this.#connection.read();
  }

  close(reason: CloseReason): void {
    this.#connection.close(reason);
  }

  async #readMissed(): Promise<void> {
    const { feed, sessionId } = this.#options;
    try {
      for (let isMore = true; isMore;) {
        this.#hasNews = false;
        const page = await feed.after(sessionId, this.#sentSeq, pageSize);
        for (const batch of batchesOf(page)) {
          if (!this.#connection.isReading) return;
          this.#send(batch);
        }
        if (!this.#connection.isReading) return;
        isMore = page.length === pageSize || this.#hasNews;
      }
      this.#connection.goLive();
    } catch (error) {
      this.close(ContextError.is(error, 'not-found') ? 'session-deleted' : 'store-failed');
    }
  }

  #send(batch: EventBatch): void {
    const { isLast } = this.#options;
    const { events } = batch;
    const end = isLast ? events.findIndex(isLast) : -1;
    this.#sentSeq = events.at(-1)?.seq ?? this.#sentSeq;
    this.#connection.send(end < 0 ? batch.bytes : new EventBatch(events.slice(0, end + 1)).bytes);
    if (end >= 0) this.close('answered');
  }
}
