import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { ProxyFault } from './proxy-fault.ts';
import type { IncomingMessage } from 'node:http';

/** A body as it came, and as it reads. */
export interface ReadBody {
  /** As they came, encoded or not: what goes through untouched. */
  readonly bytes: Buffer;
  /** Decoded; `undefined` where it is no UTF-8. */
  readonly text: string | undefined;
  /** They are not the client's: something in them was written anew. */
  readonly isRewritten?: true;
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: inflateAny,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

const inflateFramed: Decode = promisify(inflate);
const inflateBare: Decode = promisify(inflateRaw);

/** The name means a stream in its frame (RFC 9110, 8.4.1.2), but many senders leave the frame away. */
async function inflateAny(bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  try {
    return await inflateFramed(bytes, options);
  } catch (error) {
    if (isTooLarge(error)) throw error;
    return await inflateBare(bytes, options);
  }
}

const mostEncodings = 2;

/**
 * Reads the body of a request.
 *
 * @param maxBytes of it as it came, and decoded: a small body can hold a large one.
 * @throws {ProxyFault} 413 for one that is too large, 415 for an encoding that is not known, 400 for one that is broken.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  const bytes = await collect(request, maxBytes);
  return { bytes, text: textIn(await decodeAll(request, bytes, maxBytes)) };
}

/**
 * Reads the body of a request that goes on as it came: one that cannot be decoded has no text.
 *
 * @throws {ProxyFault} 413 for one that is too large.
 */
export async function readBodyAsItIs(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  const bytes = await collect(request, maxBytes);
  try {
    return { bytes, text: textIn(await decodeAll(request, bytes, maxBytes)) };
  } catch {
    return { bytes, text: undefined };
  }
}

async function decodeAll(request: IncomingMessage, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  let decoded = bytes;
  for (const name of encodingsOf(request).toReversed()) decoded = await decode(decoded, name, maxBytes);
  return decoded;
}

function encodingsOf({ headers }: IncomingMessage): readonly string[] {
  const names = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = names.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined || names.length > mostEncodings) {
    const known = Object.keys(decoders).join(', ');
    const message = `The body has an encoding that is not known here: expected ${known}, got ${names.join(', ')}.`;
    throw new ProxyFault('unsupported-encoding', message);
  }
  return names;
}

async function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const stated = Number(request.headers['content-length'] ?? 0);
  if (stated > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      // Who is told to stop must be able to read it: the connection stays.
      request.removeAllListeners('data').pause();
      reject(tooLarge(maxBytes));
    });
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', () => {
      if (!request.readableEnded) reject(new Error('The client went before its body had come.'));
    });
  });
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}

async function decode(bytes: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  try {
    return await (decoders[name] as Decode)(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (isTooLarge(cause)) throw tooLarge(maxBytes);
    throw new ProxyFault('broken-body', `The body is no ${name}, as its content-encoding says.`, { cause });
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(maxBytes: number): ProxyFault {
  return new ProxyFault('body-too-large', `The body is larger than the ${maxBytes} bytes that are taken.`);
}

const strict = new TextDecoder('utf-8', { fatal: true });

function textIn(bytes: Buffer): string | undefined {
  // Most bodies are of this kind, and are read much faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
