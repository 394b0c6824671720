import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  /** Method and path of each request, in their order. */
  readonly asked: readonly string[];
}

/** A server that answers by method and path: a value as JSON, a text as it is; anything else is not found. */
export async function startServer(answers: Readonly<Record<string, unknown>>): Promise<StartedServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const place = `${request.method} ${request.url?.split('?', 1)[0]}`;
    asked.push(place);
    request.resume();
    const answer = answers[place];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { error: 'Not found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
