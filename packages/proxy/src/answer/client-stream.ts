import { dialectStreams } from '../stream/dialect-streams.ts';
import { once } from 'node:events';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { StreamFault } from '../stream/shared/continuation.ts';

const ping = Buffer.from(': ping\n\n');

interface ClientStreamOptions {
  readonly dialect: DialectName;
  /** How long the head is held until something is said. */
  readonly holdHeadMs: number;
  /** Between two comments while nothing is said. */
  readonly pingMs: number;
}

/** Of a stream of which its upstream says nothing. */
export const plainHeaders: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/**
 * A stream of events to a client, for all calls that are made for it. Its head is held until something is said, so that
 * until then every error still has a status of its own, and another request can be tried unseen. Whoever waits longer –
 * for a summary, too, or for the head of the upstream – gets the head and comments, because silence kills streams on
 * their way. What is written stands at borders of events.
 */
export class ClientStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #options: ClientStreamOptions;
  #timer: NodeJS.Timeout | undefined;
  #wroteAtMs = performance.now();
  /** The headers of the answer, as soon as there is one. */
  headers: () => OutgoingHttpHeaders = () => plainHeaders;
  /** A comment here would stand inside an event. */
  isInsideEvent: () => boolean = () => false;

  constructor(response: ServerResponse, options: ClientStreamOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** From now on its client is not left in silence. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#whileSilent(), this.#options.holdHeadMs);
  }

  /** The head is on its way: from now on errors are events. */
  get isCommitted(): boolean {
    return this.#response.headersSent;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength === 0) return;
    this.#commit();
    this.#wroteAtMs = performance.now();
    if (!this.#response.write(bytes) && !this.#response.destroyed) await drained(this.#response);
  }

  end(bytes?: Uint8Array): void {
    this.#commit();
    this[Symbol.dispose]();
    if (bytes) this.#response.end(bytes);
    else this.#response.end();
  }

  /** The stream ends with an error, of an answer that has said nothing. */
  fail(fault: StreamFault): void {
    const events = dialectStreams[this.#options.dialect].createContinuation().fail(fault);
    this.end(Buffer.concat(events.map(({ bytes }) => bytes)));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #commit(): void {
    if (this.#response.headersSent) return;
    // What goes out is not always as long as what came.
    const { 'content-length': _, ...headers } = this.headers();
    this.#response.writeHead(200, headers);
  }

  #whileSilent(): void {
    const silentMs = performance.now() - this.#wroteAtMs;
    const { pingMs } = this.#options;
    const isDue = !this.isCommitted || silentMs >= pingMs;
    if (isDue && !this.isInsideEvent()) {
      this.#commit();
      this.#response.write(ping);
      this.#wroteAtMs = performance.now();
    }
    this.#timer = setTimeout(() => this.#whileSilent(), pingMs);
  }
}

/** Resolves when more can be written, or nobody reads any more. */
async function drained(response: ServerResponse): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    controller.abort();
  }
}
