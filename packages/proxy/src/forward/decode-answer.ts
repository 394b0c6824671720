import { pipeline } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  constants,
} from 'node:zlib';
import type { Duplex, Readable } from 'node:stream';
import type { UpstreamAnswer } from './upstream.ts';

const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** Decoders that give out what they have at once: a stream says something with every piece. */
const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(flush),
  'x-gzip': () => createGunzip(flush),
  deflate: () => createInflate(flush),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ flush: constants.ZSTD_e_flush }),
};

/** `undefined`: it is in an encoding that is not known here. */
export function decoded(answer: UpstreamAnswer): UpstreamAnswer | undefined {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return answer;
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!create) return undefined;
  const { 'content-encoding': _, 'content-length': __, ...headers } = answer.headers;
  return { ...answer, headers, body: through(answer.body, create()) };
}

/** Whatever happens at one end of it happens at the other; who reads is told. */
function through(body: Readable, decoder: Duplex): Readable {
  return pipeline(body, decoder, () => undefined).on('error', () => undefined);
}
