import { ContextError } from '@throughline/core';
import { batchesOf, closedFrame, EventBatch, heartbeat, opening } from './event-frame.ts';
import type { AgentEvent } from '@throughline/agent';
import type { ByteSink } from './byte-sink.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';

/** Events read from the journal at once. What a reader has no room for is read again later instead of kept. */
const pageSize = 64;

/** How long a reader that has enough on its way may take for it, once its stream has ended. */
const lastBytesMs = 5_000;

export interface EventStreamOptions {
  readonly feed: Pick<EventFeed, 'after'>;
  readonly sessionId: string;
  /** The number behind which it begins. */
  readonly after: number;
  readonly sink: ByteSink;
  readonly heartbeatMs: number;
  /** Asked of each event that is sent, in order: after one it is `true` of, the stream ends. @default it goes on */
  readonly isLast?: ((event: AgentEvent) => boolean) | undefined;
  readonly onClose: () => void;
}

/**
 * - `reading`: what was missed is read from the journal;
 * - `live`: everything stored was sent, and news are sent as they come;
 * - `stalled`: the reader has enough on its way: nothing is kept for it, the journal has it.
 */
type State = 'reading' | 'live' | 'stalled' | 'closed';

/** The events of one session on their way to one reader: each once, in order, however slow the reader is. */
export class EventStream {
  readonly #options: EventStreamOptions;
  #timer: NodeJS.Timeout | undefined;
  #cutOff: NodeJS.Timeout | undefined;
  #state: State = 'reading';
  #sentSeq: number;
  /** Something was stored while the journal was read. */
  #hasNews = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#sentSeq = options.after;
  }

  start(): void {
    const { sink, heartbeatMs } = this.#options;
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
    sink.listen({
      onDrain: () => {
        if (this.#state === 'stalled') void this.#read();
      },
      onClose: () => {
        clearTimeout(this.#cutOff);
        this.#closed();
      },
    });
    if (this.#state === 'closed') return;
    if (sink.write(opening)) void this.#read();
    else this.#state = 'stalled';
  }

  /** News. They are sent at once where the reader has all that was before, and are left to the journal otherwise. */
  take(batch: EventBatch): void {
    this.#hasNews = true;
    if (this.#state !== 'live') return;
    if (batch.follows(this.#sentSeq)) this.#send(batch);
    else void this.#read();
  }

  /** Ends it and says why. A reader that reads gets all of it; one that does not is cut off after a while. */
  close(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    const { sink } = this.#options;
    if (this.#state === 'stalled') this.#cutOff = setTimeout(() => sink.destroy(), lastBytesMs);
    this.#closed();
    sink.write(closedFrame(reason));
    sink.end();
  }

  async #read(): Promise<void> {
    const { feed, sessionId } = this.#options;
    this.#state = 'reading';
    try {
      for (let isMore = true; isMore;) {
        this.#hasNews = false;
        const page = await feed.after(sessionId, this.#sentSeq, pageSize);
        for (const batch of batchesOf(page)) {
          if (this.#state !== 'reading') return;
          this.#send(batch);
        }
        if (this.#state !== 'reading') return;
        isMore = page.length === pageSize || this.#hasNews;
      }
      this.#state = 'live';
    } catch (error) {
      this.close(ContextError.is(error, 'not-found') ? 'session-deleted' : 'store-failed');
    }
  }

  #send(batch: EventBatch): void {
    const { isLast, sink } = this.#options;
    const { events } = batch;
    const end = isLast ? events.findIndex(isLast) : -1;
    this.#sentSeq = events.at(-1)?.seq ?? this.#sentSeq;
    if (end >= 0) {
      sink.write(new EventBatch(events.slice(0, end + 1)).bytes);
      return this.close('answered');
    }
    if (!sink.write(batch.bytes)) this.#state = 'stalled';
  }

  /** Also looks into the journal: another process may have written, or the session may be gone. */
  #beat(): void {
    if (this.#state !== 'live') return;
    if (this.#options.sink.write(heartbeat)) void this.#read();
    else this.#state = 'stalled';
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.#options.onClose();
  }
}
