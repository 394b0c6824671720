import type { AgentEvent } from '@throughline/agent';

/** Why the server ends a stream; what is missing comes to whoever asks again behind the last number. */
export type CloseReason =
  | 'server-stopping'
  | 'session-deleted'
  | 'store-failed'
  /** What answers the message has ended: nothing is missing. */
  | 'answered';

/** What a stream begins with: proxies and clients see at once that it is open, and how long to wait before the next. */
export const opening = Buffer.from('retry: 1000\n: open\n\n');

/** Keeps connections open that nothing happens on. */
export const heartbeat = Buffer.from(': still here\n\n');

/** One event on the wire: its type, its number, and all of it as JSON, which has no line ends. */
function frameOf(event: AgentEvent): string {
  return `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The last of a stream that the server ends. It has no number: whoever resumes does so behind the last event. */
export function closedFrame(reason: CloseReason): Buffer {
  return Buffer.from(`event: stream:closed\ndata: ${JSON.stringify({ reason })}\n\n`);
}

/**
 * Events that go out together. Their bytes are made when the first reader takes them, once for all readers, and live as
 * long as somebody still has them to send.
 */
export class EventBatch {
  readonly events: readonly AgentEvent[];
  #bytes: Buffer | undefined;

  constructor(events: readonly AgentEvent[], bytes?: Buffer) {
    this.events = events;
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.events.map(frameOf).join(''));
    return this.#bytes;
  }

  /** Whether they are what comes behind this number, with none missing among them. */
  follows(seq: number): boolean {
    return this.events.every((event, index) => event.seq === seq + 1 + index);
  }
}

/** Characters that are written at once while the journal is read. */
const writeSize = 32_768;

/** A page of the journal in batches that are not much longer than what is written at once. */
export function* batchesOf(page: readonly AgentEvent[]): Generator<EventBatch> {
  let events: AgentEvent[] = [];
  let text = '';
  for (const event of page) {
    events.push(event);
    text += frameOf(event);
    if (text.length < writeSize && event !== page.at(-1)) continue;
    yield new EventBatch(events, Buffer.from(text));
    events = [];
    text = '';
  }
}
