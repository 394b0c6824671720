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
const wrongKey = { refusal: { status: 401, type: 'authentication_error', message: 'Who are you?' } };
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

  it.each(Object.keys(bodies))(
    'asks for a summary over /v1/%s as its client asks: with its headers and its query',
    async (path) => {
      const upstream = await createStrictUpstream({ windowTokens: 6_000, answer });
      await using routes = await proxyFrom({
        routes: [{ ...route, upstream: `${upstream.url}/v1` }],
        composition: realComposition,
        log: silent,
        maxBodyBytes: 1_000_000,
      });
      const server = await createRawServer(routes, { port: 0 });
      const response = await fetch(`${server.address.url}/proxy/it/v1/${path}?api-version=7&of=a%20b`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          'x-portkey-api-key': 'of-a-gateway',
          'anthropic-beta': 'oauth-2025-04-20',
          'idempotency-key': 'of-this-request',
          accept: 'text/x-of-this-request',
          'x-throughline-token': 'of-this-server',
        },
        body: JSON.stringify(bodies[path]?.(messages)),
      });
      await server.stop();
      await upstream.stop();
      expect(response.headers.get('x-context-action')).toBe('compacted');
      const [order, asked] = [upstream.requests[0], upstream.requests.at(-1)];
      expect(upstream.requests.length).toBeGreaterThan(1);
      expect(order?.path).toBe(`/v1/${path}?api-version=7&of=a%20b`);
      for (const name of ['x-portkey-api-key', 'anthropic-beta'])
        expect([name, order?.headers[name]]).toEqual([name, asked?.headers[name]]);
      // Of its body, of this request alone, and of this server.
      expect(asked?.headers['idempotency-key']).toBe('of-this-request');
      expect(order?.headers).not.toHaveProperty('idempotency-key');
      expect(order?.headers).not.toHaveProperty('x-throughline-token');
      expect(order?.headers.accept).not.toBe('text/x-of-this-request');
      // A key that nobody has shown is not made up.
      expect(order?.headers).not.toHaveProperty('authorization');
      expect(order?.headers).not.toHaveProperty('x-api-key');
    },
  );

  it('says once that a model refuses to write summaries, without a key', async () => {
    const lines: string[] = [];
    const warn = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`);
    const upstream = await createStrictUpstream({
      windowTokens: 6_000,
      failures: ({ bytes }) => (bytes.includes('"user":"asker"') ? undefined : wrongKey),
    });
    await using routes = await proxyFrom({
      routes: [{ ...route, upstream: `${upstream.url}/v1` }],
      composition: realComposition,
      log: { ...silent, warn },
      maxBodyBytes: 1_000_000,
    });
    const server = await createRawServer(routes, { port: 0 });
    for (const first of [0, 2])
      await fetch(`${server.address.url}/proxy/it/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer a-secret-key' },
        body: JSON.stringify({ model: 'm', messages: messages.slice(first), user: 'asker' }),
      });
    await server.stop();
    await upstream.stop();
    expect(lines.filter((line) => line.includes('writes no summary'))).toHaveLength(1);
    expect(lines.join()).not.toContain('a-secret-key');
  });

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
