import { batchesOf, EventBatch } from './event-frame.ts';
import { ContextError } from '@throughline/core';
import { ReaderConnection } from './reader-connection.ts';
import type { AgentEvent } from '@throughline/agent';
import type { ByteSink } from './send-events.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';
import type { ConnectionOptions } from './reader-connection.ts';

interface EventStreamsOptions {
  readonly feed: EventFeed;
  /** Between two comments that keep an idle connection open. @default 15 000 */
  readonly heartbeatMs?: number;
}

interface ReaderRequest {
  readonly sessionId: string;
  /** The number behind which it begins. */
  readonly after: number;
  readonly sink: ByteSink;
  /** Asked of each event that is sent, in order: after one it is `true` of, the stream ends. @default it goes on */
  readonly isLast?: (event: AgentEvent) => boolean;
}

/** All readers of events in this process. */
export interface EventStreams extends Disposable {
  /** How many read now. */
  readonly readerCount: number;
  /** Sends what is stored behind a number, and then what comes, until the reader is gone or somebody ends it. */
  add(request: ReaderRequest): void;
  /** Ends the readers of one session, or of all, and tells them why. */
  close(reason: CloseReason, sessionId?: string): void;
}

/** Sends events to any number of readers: each event is written out once, whoever reads it. */
export function createEventStreams({ feed, heartbeatMs = 15_000 }: EventStreamsOptions): EventStreams {
  const channels = new Map<string, Channel>();
  const subscription = feed.subscribe((sessionId, event) => channels.get(sessionId)?.take(event));
  const channelOf = (sessionId: string): Channel => {
    const known = channels.get(sessionId);
    if (known) return known;
    const channel = new Channel();
    channels.set(sessionId, channel);
    return channel;
  };
  const close = (reason: CloseReason, sessionId?: string): void => {
    const closing = sessionId === undefined ? [...channels.values()] : [channels.get(sessionId)];
    for (const channel of closing) channel?.close(reason);
  };
  let isStopped = false;
  return {
    get readerCount() {
      return [...channels.values()].reduce((sum, { streams }) => sum + streams.size, 0);
    },
    add({ sessionId, after, sink, isLast }) {
      const channel = channelOf(sessionId);
      const onClose = (): void => {
        channel.streams.delete(stream);
        if (channel.streams.size === 0 && channels.get(sessionId) === channel) channels.delete(sessionId);
      };
      const stream = new EventStream({ feed, sessionId, after, sink, heartbeatMs, isLast, onClose });
      channel.streams.add(stream);
      stream.start();
      // A message that was accepted just before the stop: nobody would end its stream.
      if (isStopped) stream.close('server-stopping');
    },
    close,
    [Symbol.dispose]() {
      isStopped = true;
      subscription[Symbol.dispose]();
      close('server-stopping');
    },
  };
}

/** The readers of one session. What is stored together reaches them together. */
class Channel {
  readonly streams = new Set<EventStream>();
  #waiting: AgentEvent[] = [];

  take(event: AgentEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length === 1) queueMicrotask(() => this.#flush());
  }

  close(reason: CloseReason): void {
    for (const stream of this.streams) stream.close(reason);
  }

  #flush(): void {
    const batch = new EventBatch(this.#waiting);
    this.#waiting = [];
    for (const stream of this.streams) stream.take(batch);
  }
}

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
class EventStream {
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
