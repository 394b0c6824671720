import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { patientFetch } from './guard-fetch.ts';
import type { ServerResponse } from 'node:http';

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.on('listening', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

it('gives up when the time is over that it was given, before an answer and in it', async () => {
  const silent = await serve(() => {});
  await expect(patientFetch(1)(silent)).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
  const halting = await serve((response) => void response.writeHead(200).write('half'));
  const response = await patientFetch(1)(halting);
  await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
});

it('is like any other fetch where the server answers', async () => {
  const url = await serve((response) => void response.writeHead(201, { 'x-a': 'b' }).end('whole'));
  const response = await patientFetch(60_000)(url, { method: 'POST', body: 'x' });
  expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([201, 'b', 'whole']);
});
