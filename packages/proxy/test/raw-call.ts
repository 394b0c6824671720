import { EventEmitter, once } from 'node:events';
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

export interface OpenCall {
  /** All that has come so far. */
  readonly text: () => string;
  /** Resolves when what has come holds this so often; rejects when the answer ends before. */
  readonly heard: (text: string, times?: number) => Promise<void>;
  /** Resolves at the end of the answer. */
  readonly ended: Promise<void>;
  readonly status: () => number | undefined;
  /** The client goes. */
  readonly leave: () => void;
}

/** A call that is watched while it is answered, and can be given up. */
export function openCall(
  url: string,
  { path = '/v1/chat/completions', headers, body = '' }: RawCall,
): OpenCall {
  const { hostname, port } = new URL(url);
  const emitter = new EventEmitter();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let text = '';
  let status: number | undefined;
  let isOver = false;
  const over = (): void => {
    isOver = true;
    end();
    emitter.emit('more');
  };
  const asked = request(
    {
      hostname,
      port,
      path,
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    },
    (answer) => {
      status = answer.statusCode;
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        emitter.emit('more');
      });
      answer.on('error', over);
      answer.on('end', over);
    },
  );
  asked.on('error', over);
  asked.on('close', over);
  asked.end(Buffer.from(body));
  return {
    text: () => text,
    heard: async (wanted, times = 1) => {
      while (text.split(wanted).length <= times) {
        if (isOver) throw new Error(`The answer ended without ${JSON.stringify(wanted)}: ${text}`);
        await once(emitter, 'more');
      }
    },
    ended,
    status: () => status,
    leave: () => void asked.destroy(),
  };
}
