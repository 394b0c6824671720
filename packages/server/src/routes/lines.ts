import { RequestRefused } from '../problems/request-refused.ts';

/** The lines of a text that comes in pieces. A line that never ends is bounded by the limit of the whole. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoded(decoder, chunk).split('\n');
    rest.push(first);
    for (const piece of more) {
      yield rest.join('');
      rest = [piece];
    }
  }
  const last = rest.join('');
  if (last !== '') yield last;
}

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new RequestRefused('bad-request', 'The body is no text in UTF-8.');
  }
}

/** Lines as a body, read as fast as they are taken. */
export function textStreamOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`${value}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
