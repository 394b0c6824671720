import { createServer } from 'node:http';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { openCall, rawCall } from './raw-call.ts';
import { askerOf, callOf, dialectNames, longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';
import type { Driver } from '@throughline/ports';

const ping = ': ping\n\n';
const impatient = { holdHeadMs: 10, pingMs: 10 };
const patient = { holdHeadMs: 600_000, pingMs: 600_000 };

describe.each(dialectNames)('over %s, a client that waits', (dialect) => {
  const question = { dialect, isStreamed: true };

  it('hears comments from its head on, also before the upstream says a word, and then its answer', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const upstream = await createStrictUpstream({ failures: [{ waitAfter: { packets: 0, until } }] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { options: impatient });
    const call = openCall(proxy.url, callOf(question));
    await call.heard(ping, 3);
    expect(call.status()).toBe(200);
    resolve();
    await call.heard('word22');
    await call.ended;
    await upstream.stop();
    expect(call.text().replaceAll(ping, '')).toMatch(/\[DONE\]|message_stop|response\.completed/);
  });

  it('hears them in the middle of an answer, too, and never inside of an event', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const free = await createStrictUpstream();
    const whole = await rawCall(free.url, callOf(question));
    await free.stop();
    const at = Math.floor(whole.bytes.byteLength / 2);
    const failure = { packets: 'byte', waitAfter: { packets: at, until } } as const;
    const upstream = await createStrictUpstream({ failures: [failure] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { options: impatient });
    const call = openCall(proxy.url, callOf(question));
    await call.heard(ping, 3);
    resolve();
    await call.ended;
    await upstream.stop();
    const sameTimes = (text: string): string => text.replaceAll(/"created(?:_at)?":\d+/g, '');
    expect(sameTimes(call.text().replaceAll(ping, ''))).toBe(sameTimes(whole.text));
    for (const before of call.text().split(ping).slice(0, -1)) expect(before).toMatch(/^$|\n\n$/);
  });

  it('hears them while a summary is written', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const slow: Driver = {
      name: 'slow',
      complete: async () => {
        await until;
        return { type: 'text', text: 'They spoke of ledgers.', finish: 'stop' };
      },
    };
    const upstream = await createStrictUpstream({ windowTokens: 4_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens: 4_000,
      options: impatient,
      services: { summariserFor: () => slow },
    });
    const call = openCall(proxy.url, callOf({ ...question, messages: longTalk(30) }));
    await call.heard(ping, 3);
    expect(upstream.requests).toEqual([]);
    resolve();
    await call.ended;
    await upstream.stop();
    expect(call.text()).toContain('The');
    expect(upstream.requests.map(({ status }) => status)).toEqual([200]);
  });

  it.each([
    ['refuses after all', { status: 429, message: 'Rate limit reached', type: 'rate_limit_error' }],
    ['fails after all', { status: 500, message: 'Internal server error' }],
  ] as const)('for an upstream that %s is told so in its stream', async (_, refusal) => {
    const ask = askerOf(dialect);
    for (const isReal of [false, true]) {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      const upstream = await createStrictUpstream({
        failures: [{ refusal, waitAfter: { packets: 0, until } }],
      });
      await using proxy = await startProxy(`${upstream.url}/v1`, { options: impatient });
      if (isReal) {
        const asked = ask(proxy.url, { messages: [{ role: 'user', text: 'hi' }], isStreamed: true });
        await upstream.request(0);
        setTimeout(() => resolve(), 60);
        await expect(asked).rejects.toThrow(refusal.message);
      } else {
        const call = openCall(proxy.url, callOf(question));
        await call.heard(ping);
        resolve();
        await call.ended;
        expect(call.text()).toContain(refusal.message);
        expect(call.text()).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
      }
      await upstream.stop();
    }
  });

  it('for an upstream that breaks off before its head is told so in its stream', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const server = createServer((request) => {
      request.resume();
      void until.then(() => request.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using proxy = await startProxy(url, { options: impatient });
    const call = openCall(proxy.url, callOf(question));
    await call.heard(ping);
    resolve();
    await call.ended;
    server.close();
    expect(call.text()).toMatch(/"error"/);
    expect(call.text()).toContain('cannot be reached');
  });

  it('is not told that its head is there while nothing is said and the time to hold it is not over', async () => {
    const refusal = { status: 429, message: 'Rate limit reached' };
    const upstream = await createStrictUpstream({ failures: [{ refusal, headers: { 'retry-after': '7' } }] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { options: patient });
    const answer = await rawCall(proxy.url, callOf(question));
    await upstream.stop();
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '7']);
  });

  it('for a whole answer is left in peace', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const upstream = await createStrictUpstream({ failures: [{ waitAfter: { packets: 0, until } }] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { options: impatient });
    const call = openCall(proxy.url, callOf({ dialect, isStreamed: false }));
    await upstream.request(0);
    setTimeout(() => resolve(), 40);
    await call.ended;
    await upstream.stop();
    expect(JSON.parse(call.text())).toMatchObject({ model: 'm' });
  });
});

describe('an event that is larger than what is held', () => {
  it('is not broken by a comment', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const half = 'x'.repeat(5_000_000);
    const first = 'data: {"id":"a","choices":[{"delta":{"content":"a"}}]}\n\n';
    const event = `data: {"choices":[{"delta":{"content":"${half}${half}"}}]}\n\n`;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first + event.slice(0, 9_000_000));
      void until.then(() => response.end(`${event.slice(9_000_000)}data: [DONE]\n\n`));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using proxy = await startProxy(url, { options: impatient });
    const call = openCall(proxy.url, callOf({ dialect: 'chat', isStreamed: true }));
    await call.heard('x'.repeat(100));
    setTimeout(() => resolve(), 80);
    await call.ended;
    server.close();
    expect(call.text().replaceAll(ping, '')).toBe(`${first}${event}data: [DONE]\n\n`);
    expect(call.text().slice(call.text().indexOf('xxxx'))).not.toContain(ping);
  });
});

describe('after many answers', () => {
  it('no timer is left', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { options: patient });
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await rawCall(proxy.url, callOf({ dialect: 'chat', isStreamed: true }));
    const before = timers();
    for (const dialect of dialectNames)
      for (let count = 0; count < 10; count += 1)
        await rawCall(proxy.url, callOf({ dialect, isStreamed: true }));
    expect(timers()).toBeLessThan(before + 10);
    await upstream.stop();
  });
});
