import { RequestRefused } from '../problem-of.ts';
import type { ServerLimits } from '../server-options.ts';

/** The body, piece by piece. Whoever sends more than the limit is told as soon as it is known. */
export async function* readBody(
  request: Request,
  { maxBodyBytes }: Pick<ServerLimits, 'maxBodyBytes'>,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  let size = 0;
  // Without a body there is none to wait for.
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
    yield chunk;
  }
}

/** @throws {RequestRefused} `payload-too-large`, `payload-too-deep`, `bad-json` */
export async function readJson(
  request: Request,
  limits: Pick<ServerLimits, 'maxBodyBytes' | 'maxBodyDepth' | 'maxBodyValues'>,
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBody(request, limits)) chunks.push(chunk);
  const text = textOf(chunks);
  const { maxBodyDepth, maxBodyValues } = limits;
  const { depth, values } = measured(text, limits);
  if (values > maxBodyValues)
    throw new RequestRefused('payload-too-large', `A body may hold ${maxBodyValues} values, and no more.`, {
      data: { maxBodyValues },
    });
  if (depth > maxBodyDepth)
    throw new RequestRefused(
      'payload-too-deep',
      `Objects and lists may stand ${maxBodyDepth} deep inside each other, and no deeper.`,
      { data: { maxBodyDepth } },
    );
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = text.trim() === '' ? 'it is empty' : reasonOf(error);
    throw new RequestRefused('bad-json', `The body is not JSON: ${reason}.`);
  }
}

function textOf(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RequestRefused('bad-json', 'The body is not JSON: it is not UTF-8.');
  }
}

/** What the parser says, without what stood in the body. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return /at position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0] ?? 'it ends too early';
}

/**
 * How deep brackets are open, and about how many values there are: one, and one more behind each comma and inside each
 * bracket. It looks no further where a limit is passed. Before it is parsed: what is parsed is in memory, and small
 * values take many times the bytes they came in.
 */
function measured(
  text: string,
  { maxBodyDepth, maxBodyValues }: Pick<ServerLimits, 'maxBodyDepth' | 'maxBodyValues'>,
): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x2c) values += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
    }
    if (depth > maxBodyDepth || values > maxBodyValues) break;
  }
  return { depth, values };
}

/** Where the string that begins here ends: images are strings of megabytes, so it is looked for, not walked to. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (index - first) % 2 === 1;
}

function tooLarge(maxBodyBytes: number): RequestRefused {
  return new RequestRefused('payload-too-large', `A body may have ${maxBodyBytes} bytes, and no more.`, {
    data: { maxBodyBytes },
    // What is still to come is not read.
    headers: { connection: 'close' },
  });
}
