import { Readable } from 'node:stream';

export interface LinesOptions {
  /** All of it is one message. */
  readonly isOne: boolean;
  /** Nobody wants more when it is aborted. */
  readonly signal: AbortSignal;
}

/** Messages from a text that comes in pieces: a line each, or all of it. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
  { isOne, signal }: LinesOptions,
): AsyncGenerator<string, void, undefined> {
  const reading = pieces[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let rest = '';
  try {
    while (!signal.aborted) {
      const next = await Promise.race([reading.next(), aborted]);
      if (next === undefined || next.done === true) break;
      rest += next.value;
      if (isOne) continue;
      const lines = rest.split(/\r\n|\n/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (!signal.aborted && rest.trim() !== '') yield rest;
  } finally {
    // Whoever still holds the other end must not hold us.
    if (pieces instanceof Readable) pieces.destroy();
  }
}
