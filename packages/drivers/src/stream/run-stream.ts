import { AbortableWait, systemTimer } from '@throughline/ports';
import { readFailure } from '../failures/read-failure.ts';
import { Frame } from './frame.ts';
import type { Codec } from '@throughline/core';
import type { ModelEvent, ModelFailure } from '@throughline/ports';

/** Reads the chunks of one answer, in their order. */
export interface ChunkReader<Chunk> {
  /** What the chunk tells. Throws what the server told of a failure; an `end` ends the reading. */
  take(chunk: Chunk): Iterable<ModelEvent>;
  /** The server has closed the stream: an `end` at last, or nothing where the answer is not whole. */
  close(): Iterable<ModelEvent> | Promise<Iterable<ModelEvent>>;
}

interface StreamSource<Chunk> {
  /** Sends the request. The signal closes the connection. */
  readonly open: (signal: AbortSignal) => PromiseLike<AsyncIterable<Chunk>> | AsyncIterable<Chunk>;
  readonly reader: ChunkReader<Chunk>;
  readonly codec: Codec;
  /** Never shown in a failure. */
  readonly secrets: readonly string[];
}

const cancelled: ModelFailure = { kind: 'cancelled', message: 'cancelled', recoverable: false };

/**
 * The frame around every driver: opens the connection, reads to the end, and keeps the promises of the port whatever the
 * reader and the server do. Exactly one `end` or `error`; what began ends; an abort ends it at once; nothing is thrown
 * for what a server can do; the connection is closed in every case; no text holds half a character.
 */
export async function* runStream<Chunk>(
  { open, reader, codec, secrets }: StreamSource<Chunk>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const frame = new Frame(codec);
  using connection = new Connection(signal);
  using wait = new AbortableWait(signal);
  try {
    // One generator for the whole way: each further one costs more for a piece of text than reading it.
    const chunks = signal.aborted ? undefined : await wait.waitFor(opened(open, connection));
    const iterator = chunks?.[Symbol.asyncIterator]();
    let next = iterator && (await wait.waitFor(nextOf(iterator)));
    while (iterator && next?.type === 'chunk') {
      for (const event of reader.take(next.chunk)) {
        const isEnd = event.type === 'end';
        if (isEnd) connection.drain(iterator);
        for (const told of frame.pass(event)) yield told;
        if (isEnd) return;
      }
      next = await wait.waitFor(nextOf(iterator));
    }
    // The SDKs end their streams without a word when the signal is aborted.
    const last = next && !signal.aborted ? await wait.waitFor(closed(reader)) : undefined;
    // A connection may break behind the last word: the answer is whole.
    if (last?.length === 0 && next?.type === 'broken') throw next.error;
    for (const event of last ?? []) {
      for (const told of frame.pass(event)) yield told;
      if (event.type === 'end') return;
    }
    yield* frame.fail(signal.aborted ? cancelled : undefined);
  } catch (error) {
    yield* frame.fail(signal.aborted ? cancelled : readFailure(error, secrets));
  }
}

async function opened<Chunk>(
  open: StreamSource<Chunk>['open'],
  connection: Connection,
): Promise<AsyncIterable<Chunk>> {
  return await open(connection.signal);
}

async function closed<Chunk>(reader: ChunkReader<Chunk>): Promise<readonly ModelEvent[]> {
  return [...(await reader.close())];
}

type Next<Chunk> =
  | { readonly type: 'chunk'; readonly chunk: Chunk }
  | { readonly type: 'done' }
  | { readonly type: 'broken'; readonly error: unknown };

async function nextOf<Chunk>(iterator: AsyncIterator<Chunk>): Promise<Next<Chunk>> {
  try {
    const next = await iterator.next();
    return next.done === true ? { type: 'done' } : { type: 'chunk', chunk: next.value };
  } catch (error) {
    return { type: 'broken', error };
  }
}

/** How long a server has to end a stream behind its last event. */
const lastWordsMs = 1_000;

/** Ends a request when the caller's signal does, and at the latest when nobody reads any more. */
class Connection implements Disposable {
  readonly #closing = new AbortController();
  readonly #caller: AbortSignal;
  #isDraining = false;
  readonly #close = (): void => this.#closing.abort();

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    if (caller.aborted) this.#close();
    caller.addEventListener('abort', this.#close, { once: true });
  }

  /** Closes the connection. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * All that matters was read: the rest is read and thrown away, for a moment, behind the back of the caller. A
   * connection whose stream was read to its end serves the next request.
   */
  drain(rest: AsyncIterator<unknown>): void {
    this.#isDraining = true;
    void this.#readAway(rest);
  }

  async #readAway(rest: AsyncIterator<unknown>): Promise<void> {
    const read = new AbortController();
    try {
      await Promise.race([readToEnd(rest), systemTimer.wait(lastWordsMs, read.signal)]);
    } catch {
      // Nobody waits for it.
    } finally {
      read.abort();
      this.#close();
    }
  }

  [Symbol.dispose](): void {
    this.#caller.removeEventListener('abort', this.#close);
    if (!this.#isDraining) this.#close();
  }
}

async function readToEnd(rest: AsyncIterator<unknown>): Promise<void> {
  while ((await rest.next()).done !== true);
}

/** No API is at this address: waiting does not help, another address does. */
export class WrongAddressError extends Error {
  override readonly name = 'WrongAddressError';
}

/** A failure that a server told in its own words, where no SDK makes an error of it. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  /** What it told: a body, or the error in it. */
  readonly error: unknown;

  constructor(message: string, error?: unknown) {
    super(message);
    this.error = error;
  }
}
