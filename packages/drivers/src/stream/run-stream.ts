import type { Codec } from '@throughline/core';
import type { ModelEvent, ModelFailure } from '@throughline/ports';
import { readFailure } from '../errors/read-failure.ts';
import { Connection } from './connection.ts';
import { Frame } from './frame.ts';
import { Patience } from './patience.ts';

/** Reads the chunks of one answer, in their order. */
export interface ChunkReader<Chunk> {
  /** What the chunk tells. Throws what the server told of a failure; an `end` ends the reading. */
  take(chunk: Chunk): Iterable<ModelEvent>;
  /** The server has closed the stream: an `end` at last, or nothing where the answer is not whole. */
  close(): Iterable<ModelEvent> | Promise<Iterable<ModelEvent>>;
}

export interface StreamSource<Chunk> {
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
  source: StreamSource<Chunk>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const frame = new Frame(source.codec);
  using connection = new Connection(signal);
  try {
    for await (const event of read(source, signal, connection)) {
      for (const told of frame.pass(event)) yield told;
      if (event.type === 'end') return;
    }
    yield* frame.fail(signal.aborted ? cancelled : undefined);
  } catch (error) {
    yield* frame.fail(signal.aborted ? cancelled : readFailure(error, source.secrets));
  }
}

async function* read<Chunk>(
  { open, reader }: StreamSource<Chunk>,
  signal: AbortSignal,
  connection: Connection,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) return;
  using patience = new Patience(signal);
  const chunks = await patience.waitFor(Promise.resolve(open(connection.signal)));
  if (!chunks) return;
  const iterator = chunks[Symbol.asyncIterator]();
  let broken: { readonly error: unknown } | undefined;
  for (;;) {
    const next = await patience.waitFor(nextOf(iterator));
    if (!next) return;
    if (next.type === 'broken') broken = next;
    if (next.type !== 'chunk') break;
    for (const event of reader.take(next.chunk)) {
      if (event.type === 'end') connection.drain(iterator);
      yield event;
    }
  }
  // The SDKs end their streams without a word when the signal is aborted.
  if (signal.aborted) return;
  const last = await patience.waitFor(Promise.resolve(reader.close()));
  if (!last) return;
  // A connection may break behind the last word: the answer is whole.
  const events = [...last];
  if (broken && events.length === 0) throw broken.error;
  yield* events;
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
