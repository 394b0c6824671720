import { EventBatch } from './event-frame.ts';
import { EventStream } from './event-stream.ts';
import type { AgentEvent } from '@throughline/agent';
import type { ByteSink } from './byte-sink.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';

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
