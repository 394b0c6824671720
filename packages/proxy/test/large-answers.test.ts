import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callOf, dialectNames } from './questions.ts';
import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';

const maxBodyBytes = 100_000;

interface Answering extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the connection of the first answer has ended. */
  readonly closed: Promise<unknown>;
}

/** An upstream that answers everything with these bytes, again and again until nobody takes them, where `isEndless`. */
async function answering(body: Buffer, { isEndless = false, headers = {} } = {}): Promise<Answering> {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.once('close', resolve);
    const more = (): void => {
      while (!response.destroyed && response.write(body));
    };
    if (!isEndless) return void response.end(body);
    response.on('drain', more);
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    closed,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((end) => server.close(end));
    },
  };
}

describe.each(dialectNames)('an answer over %s that is no stream', (dialect) => {
  it('and has no end is refused in words that name the limit, and its connection is closed', async () => {
    await using upstream = await answering(Buffer.from('{"a":"'.padEnd(10_000, 'x')), { isEndless: true });
    await using proxy = await startProxy(upstream.url, { options: { maxBodyBytes } });
    const answer = await rawCall(proxy.url, callOf({ dialect, isStreamed: false }));
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { message: expect.stringContaining('larger than the 100000 bytes') },
    });
    await upstream.closed;
  });

  it('and is as large as is taken is handed on', async () => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(maxBodyBytes - 11) }));
    await using upstream = await answering(body);
    await using proxy = await startProxy(upstream.url, { options: { maxBodyBytes } });
    const answer = await rawCall(proxy.url, callOf({ dialect, isStreamed: false }));
    expect([answer.status, body.byteLength]).toEqual([200, maxBodyBytes]);
    expect(answer.bytes.equals(body)).toBe(true);
  });

  it('and holds more than is taken when it is decoded is handed on as it came', async () => {
    const body = gzipSync(JSON.stringify({ text: 'x'.repeat(20 * maxBodyBytes) }));
    await using upstream = await answering(body, { headers: { 'content-encoding': 'gzip' } });
    await using proxy = await startProxy(upstream.url, { options: { maxBodyBytes } });
    const answer = await rawCall(proxy.url, callOf({ dialect, isStreamed: false }));
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(body)).toBe(true);
  });
});
