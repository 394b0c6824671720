import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

const ping = Buffer.from(': ping\n\n');

export interface ClientStreamOptions {
  /** How long the head is held until something is said. */
  readonly holdHeadMs: number;
  /** Between two comments while nothing is said. */
  readonly pingMs: number;
  readonly headers: () => OutgoingHttpHeaders;
}

/**
 * A stream of events to a client. Its head is held until something is said, so that until then every error still has a
 * status of its own, and another request can be tried unseen. Whoever waits longer gets the head and comments, because
 * silence kills streams on their way. What is written stands at borders of events.
 */
export class ClientStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #options: ClientStreamOptions;
  #timer: NodeJS.Timeout | undefined;
  #wroteAtMs = performance.now();

  constructor(response: ServerResponse, options: ClientStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#timer = setTimeout(() => this.#whileSilent(), options.holdHeadMs);
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

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #commit(): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, this.#options.headers());
  }

  #whileSilent(): void {
    const silentMs = performance.now() - this.#wroteAtMs;
    const { pingMs } = this.#options;
    if (!this.isCommitted || silentMs >= pingMs) {
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
