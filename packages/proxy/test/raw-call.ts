import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface RawCall {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** The body goes out without its length. */
  readonly isChunked?: boolean;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came over the wire. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The connection was closed before the answer had ended. */
  readonly isBroken: boolean;
}

/** A call whose bytes nobody touches, in both directions. */
export function rawCall(url: string, call: RawCall = {}): Promise<RawAnswer> {
  const { path = '/v1/chat/completions', method = 'POST', headers, body = '', isChunked } = call;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length =
      isChunked === true || method !== 'POST' ? {} : { 'content-length': Buffer.byteLength(body) };
    const asked = request(
      {
        hostname,
        port,
        path,
        method,
        agent: false,
        headers: { 'content-type': 'application/json', ...length, ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        const end = (): void => {
          const bytes = Buffer.concat(chunks);
          const { statusCode: status = 0, headers: told, complete } = answer;
          resolve({ status, headers: told, bytes, text: bytes.toString(), isBroken: !complete });
        };
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', end);
        answer.on('error', end);
      },
    );
    asked.on('error', reject);
    // As bytes: with a text, the headers would be written in its encoding, too.
    asked.end(Buffer.from(body));
  });
}
