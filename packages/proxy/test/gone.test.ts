import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openCall, rawCall } from './raw-call.ts';
import { callOf, dialectNames, longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { Driver } from '@throughline/ports';
import type { StatedLimits } from '../src/index.ts';

const complete: Driver['complete'] = () =>
  Promise.resolve({ type: 'text', text: 'They spoke of ledgers.', finish: 'stop' });

/** A summariser whose first answer never comes; it tells when it is asked, and when it is given up. */
function hangingDriver(): { driver: Driver; asked: Promise<void>; given: Promise<void> } {
  const asked = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  let calls = 0;
  const driver: Driver = {
    name: 'hanging',
    complete: async (request, options) => {
      calls += 1;
      if (calls > 1) return await complete(request, options);
      asked.resolve();
      await new Promise<void>((resolve) => {
        options.signal?.addEventListener('abort', () => resolve());
      });
      given.resolve();
      return { type: 'failed', cause: 'cancelled', message: 'gone' };
    },
  };
  return { driver, asked: asked.promise, given: given.promise };
}

describe.each(dialectNames)('over %s, a client that goes', (dialect) => {
  it.each([true, false])(
    'while it is answered takes the call to the upstream with it (streamed: %s)',
    async (isStreamed) => {
      const upstream = await createStrictUpstream({ failures: [{ waitAfter: { packets: 9 } }] });
      await using proxy = await startProxy(`${upstream.url}/v1`);
      const call = openCall(proxy.url, callOf({ dialect, isStreamed }));
      const asked = await upstream.request(0);
      if (isStreamed) await call.heard('word');
      call.leave();
      await asked.ended;
      expect(upstream.requests[0]?.wasAborted).toBe(true);
      expect((await rawCall(proxy.url, callOf({ dialect, isStreamed }))).status).toBe(200);
      await upstream.stop();
      expect(proxy.lines).toEqual([]);
    },
  );

  it('before the head of the upstream takes the call with it, too', async () => {
    const upstream = await createStrictUpstream({ failures: ['stall before the head'] });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const call = openCall(proxy.url, callOf({ dialect, isStreamed: true }));
    const asked = await upstream.request(0);
    call.leave();
    await asked.ended;
    await upstream.stop();
    expect(upstream.requests[0]?.wasAborted).toBe(true);
  });

  it('during a summary gives that up, and its conversation goes on', async () => {
    const { driver, asked, given } = hangingDriver();
    const upstream = await createStrictUpstream({ windowTokens: 4_000 });
    const services = { summariserFor: () => driver };
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 4_000, services });
    const question = callOf({ dialect, isStreamed: false, messages: longTalk(30) });
    const call = openCall(proxy.url, question);
    await asked;
    call.leave();
    await given;
    expect(upstream.requests).toEqual([]);
    const next = await rawCall(proxy.url, question);
    await upstream.stop();
    expect(next.status).toBe(200);
    expect(next.headers['x-context-action']).toBe('compacted');
    expect(upstream.requests).toHaveLength(1);
  });

  it('in the middle of a conversation leaves its queue to the others', async () => {
    const { driver, asked, given } = hangingDriver();
    const upstream = await createStrictUpstream({ windowTokens: 4_000 });
    const services = { summariserFor: () => driver };
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 4_000, services });
    const short = longTalk(6);
    await rawCall(proxy.url, callOf({ dialect, isStreamed: false, messages: short }));
    const long = callOf({ dialect, isStreamed: false, messages: longTalk(30) });
    const first = openCall(proxy.url, long);
    await asked;
    const others = [rawCall(proxy.url, long), rawCall(proxy.url, long)];
    first.leave();
    await given;
    const answers = await Promise.all(others);
    await upstream.stop();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(upstream.requests).toHaveLength(3);
  });

  it('while an answer is continued takes the second call with it', async () => {
    const windowTokens = 4_000;
    const failures = [undefined, { waitAfter: { packets: 6 } }] as const;
    const upstream = await createStrictUpstream({ windowTokens, failures });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const messages = longTalk(8, 'Answer with 2400 tokens.');
    const limit = dialect === 'responses' ? { max_output_tokens: 6_000 } : { max_tokens: 6_000 };
    const call = openCall(proxy.url, callOf({ dialect, isStreamed: true, messages, more: limit }));
    const second = await upstream.request(1);
    call.leave();
    await second.ended;
    await upstream.stop();
    expect(upstream.requests[1]?.wasAborted).toBe(true);
  });
});

describe('while a window is asked for', () => {
  it('a client that goes asks nobody, and whoever waits with it is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<StatedLimits>();
    const asked = Promise.withResolvers<void>();
    let times = 0;
    const discoverLimits = (): Promise<StatedLimits> => {
      times += 1;
      asked.resolve();
      return promise;
    };
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { discoverLimits } });
    const question = callOf({ dialect: 'chat', isStreamed: true });
    const first = openCall(proxy.url, question);
    await asked.promise;
    const second = openCall(proxy.url, question);
    first.leave();
    await first.ended;
    resolve({ windowTokens: 8_192 });
    await second.ended;
    await upstream.stop();
    expect(second.text()).toContain('[DONE]');
    expect(times).toBe(1);
    expect(upstream.requests.filter(({ wasAborted }) => !wasAborted)).toHaveLength(1);
    expect(proxy.lines).toEqual([]);
  });
});
