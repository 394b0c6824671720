import { createRawServer } from '@throughline/server';
import { createStrategy } from '@throughline/core';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { proxyFrom } from '../src/proxy/proxy-from.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AnswerScript } from '@throughline/testkit';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const prose = `## Completed Work\n${'- The account was moved, because the first ledger was closed.\n'.repeat(8)}`;
const question = (turn: number): string => `Question ${turn}: ${'why was the account moved? '.repeat(60)}`;

/** Questions are answered, and what is no question is an order to summarise. */
const answer: AnswerScript = ({ question: last }) => ({
  text: last.startsWith('Question') ? 'It was.' : prose,
});

const bodies: Readonly<Record<string, (messages: readonly object[]) => object>> = {
  'chat/completions': (messages) => ({ model: 'm', messages }),
  responses: (input) => ({ model: 'm', input }),
  messages: (messages) => ({ model: 'm', max_tokens: 300, messages }),
};

const messages = Array.from({ length: 25 }, (_, turn) => [
  { role: 'user', content: question(turn) },
  ...(turn < 24 ? [{ role: 'assistant', content: 'It was.' }] : []),
]).flat();
const route = { name: 'it', windowTokens: 6_000, policy: { strategy: createStrategy('threshold-tail') } };

describe('proxyFrom', () => {
  it.each(Object.keys(bodies))(
    'lets the model of a conversation over /v1/%s write its summary',
    async (path) => {
      const upstream = await createStrictUpstream({ windowTokens: 6_000, answer });
      const routes = await proxyFrom({
        routes: [{ ...route, upstream: `${upstream.url}/v1` }],
        composition: realComposition,
        log: silent,
        maxBodyBytes: 1_000_000,
      });
      const server = await createRawServer(routes, { port: 0 });
      const response = await fetch(`${server.address.url}/proxy/it/v1/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          'x-api-key': 'a-key',
          authorization: 'Bearer a-key',
        },
        body: JSON.stringify(bodies[path]?.(messages)),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-context-action')).toBe('compacted');
      expect(upstream.requests.length).toBeGreaterThan(1);
      expect(upstream.requests.map(({ status }) => status)).toEqual(upstream.requests.map(() => 200));
      expect(upstream.requests.every(({ path: at }) => at === `/v1/${path}`)).toBe(true);
      expect(upstream.requests.at(-1)?.bytes.toString()).toContain('because the first ledger was closed');
      expect(
        upstream.requests.every(({ headers }) => headers['x-api-key'] ?? headers.authorization),
      ).toBeTruthy();
      const numbers = await fetch(`${server.address.url}/metrics`).then((answer) => answer.text());
      expect(numbers).toContain(
        'throughline_proxy_requests_total{route="it",status="200",action="compacted"} 1',
      );
      expect(numbers).toMatch(/throughline_proxy_saved_tokens_total\{route="it"\} [1-9]\d{3}/);
      await server.stop();
      await routes[Symbol.asyncDispose]();
      await upstream.stop();
    },
  );

  it('has code write the summary where its model breaks off, after a second try', async () => {
    let orders = 0;
    const upstream = await createStrictUpstream({
      windowTokens: 6_000,
      failures: ({ bytes }) => {
        if (bytes.includes('"user":"asker"')) return undefined;
        orders += 1;
        return 'reset before the head';
      },
    });
    const routes = await proxyFrom({
      routes: [{ ...route, upstream: `${upstream.url}/v1` }],
      composition: realComposition,
      log: silent,
      maxBodyBytes: 1_000_000,
    });
    const server = await createRawServer(routes, { port: 0 });
    const response = await fetch(`${server.address.url}/proxy/it/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, user: 'asker' }),
    });
    expect(response.headers.get('x-context-action')).toBe('compacted');
    expect(response.status).toBe(200);
    expect(orders).toBe(2);
    await server.stop();
    await routes[Symbol.asyncDispose]();
    await upstream.stop();
  });

  it('tells a client that would speak over a WebSocket at once, and serves it over HTTP', async () => {
    const upstream = await createStrictUpstream({});
    const routes = await proxyFrom({
      routes: [
        {
          name: 'it',
          upstream: `${upstream.url}/v1`,
          policy: { strategy: createStrategy('threshold-tail') },
        },
      ],
      composition: realComposition,
      log: silent,
      maxBodyBytes: 1_000_000,
    });
    const server = await createRawServer(routes, { port: 0 });
    const address = new URL('/proxy/it/v1/responses', server.address.url);
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const [plain] = (await once(
      request(address, { headers: { ...headers, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } }).end(),
      'response',
    )) as [IncomingMessage];
    plain.resume();
    const socket = new WebSocket(address.href.replace('http', 'ws'));
    const outcome = await new Promise((resolve) => {
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    });
    const answered = await fetch(address, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input: [{ role: 'user', content: 'Hello' }] }),
    });
    expect([plain.statusCode, outcome, answered.status]).toEqual([426, 'refused', 200]);
    expect(upstream.requests.filter(({ path }) => path === '/v1/responses')).toHaveLength(1);
    await server.stop();
    await routes[Symbol.asyncDispose]();
    await upstream.stop();
  });
});
