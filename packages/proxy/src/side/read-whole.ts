import { ProxyFault } from '../wire/proxy-fault.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';

/** Lists of models and errors; an answer beyond it is none of them. */
const mostBytes = 32_000_000;

/** @throws {ProxyFault} `broken-stream` where there is no end of it. */
export async function readWhole({ body }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new ProxyFault('broken-stream', 'The answer of the upstream is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
