import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** The bytes of a request as they came, and what they say; `undefined` if they are no JSON. */
export async function readBody(incoming: IncomingMessage): Promise<{ bytes: Buffer; json: unknown }> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  try {
    const decoded = decoders[incoming.headers['content-encoding'] ?? '']?.(bytes) ?? bytes;
    return { bytes, json: JSON.parse(decoded.toString()) as unknown };
  } catch {
    return { bytes, json: undefined };
  }
}
