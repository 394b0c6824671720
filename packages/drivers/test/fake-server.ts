import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server says nothing more, and keeps the connection. */
export const stall: unique symbol = Symbol('stall');
/** The connection breaks. */
export const reset: unique symbol = Symbol('reset');
/** What came so far is flushed before what comes. */
export const breath: unique symbol = Symbol('breath');

export type Frame = string | Uint8Array | typeof stall | typeof reset | typeof breath;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frames: readonly Frame[];
}

interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** Resolves when the connection was closed before the reply was whole. */
  readonly left: Promise<void>;
}

export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Connections that were opened so far. */
  readonly connections: () => number;
}

export const sse = { 'content-type': 'text/event-stream; charset=utf-8' };
const json = { 'content-type': 'application/json' };

/** An answer that is no stream. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { ...json, ...headers }, frames: [text] };
}

/** An answer that is a stream. */
export function stream(...frames: readonly (Frame | readonly Frame[])[]): Reply {
  return { headers: sse, frames: frames.flat() };
}

/** A real HTTP server that gives these replies in turn, and an error when it is asked once too often. */
export async function startServer(...replies: readonly Reply[]): Promise<FakeServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      const { promise: left, resolve } = Promise.withResolvers<void>();
      response.on('close', () => (response.writableFinished ? undefined : resolve()));
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      requests.push({ path: incoming.url ?? '', headers: incoming.headers, body, left });
      const next = replies[requests.length - 1] ?? reply(418, { error: { message: 'The script has ended' } });
      void send(response, next);
    });
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(response: ServerResponse, { status = 200, headers = {}, frames }: Reply): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const frame of frames) {
    if (frame === stall) return;
    if (frame === breath) await new Promise((resolve) => setImmediate(resolve));
    else if (frame === reset) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.socket?.resetAndDestroy();
      return;
    } else response.write(frame);
  }
  response.end();
}
