import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { AddressInfo } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status?: number;
  /** Sent as JSON; a string as it is, as a stream of events. `undefined`: nothing comes, and the connection stays. */
  readonly body?: unknown;
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ModelServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Resolves with the first request. */
  readonly nextRequest: Promise<void>;
}

/** A real HTTP server that answers by path; 404 for any other. It is gone after the test. */
export async function startModelServer(answers: Readonly<Record<string, Answer>>): Promise<ModelServer> {
  const asked: Asked[] = [];
  const first = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers, body });
      first.resolve();
      const answer = answers[path] ?? { status: 404, body: { error: { message: 'not found' } } };
      if (answer.body === undefined) return;
      const isStream = typeof answer.body === 'string';
      response.writeHead(answer.status ?? 200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      response.end(isStream ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    nextRequest: first.promise,
  };
}
