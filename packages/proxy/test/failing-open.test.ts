import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { rawCall } from './raw-call.ts';
import { callOf, dialectNames, longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { Driver } from '@throughline/ports';
import type { ProxyServices } from '../src/index.ts';

const windowTokens = 4_000;

const broken: Readonly<Record<string, Partial<ProxyServices>>> = {
  'a factory of summarisers that throws': {
    summariserFor: () => {
      throw new Error('no summariser');
    },
  },
  'a search for limits that throws': {
    discoverLimits: () => {
      throw new Error('no limits');
    },
  },
  'a search for limits that rejects': { discoverLimits: () => Promise.reject(new Error('no limits')) },
  'a clock that throws': {
    clock: {
      nowMs: () => {
        throw new Error('no time');
      },
    },
  },
};

describe('our own code that throws', () => {
  it.each(Object.entries(broken))('is no reason to refuse a request: %s', async (_, services) => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services });
    for (const dialect of dialectNames) {
      const question = callOf({ dialect, isStreamed: true });
      const answer = await rawCall(proxy.url, question);
      expect([dialect, answer.status]).toEqual([dialect, 200]);
      expect(upstream.requests.at(-1)?.bytes.toString()).toBe(question.body);
    }
    await upstream.stop();
  });

  it('refuses where the route is closed to what cannot be managed, and tells nothing of the inside', async () => {
    const upstream = await createStrictUpstream();
    const services: Partial<ProxyServices> = {
      clock: {
        nowMs: () => {
          throw new Error('the secret inside');
        },
      },
    };
    await using proxy = await startProxy(`${upstream.url}/v1`, { services, onFailure: 'closed' });
    const answer = await rawCall(proxy.url, callOf({ dialect: 'messages', isStreamed: true }));
    await upstream.stop();
    expect([answer.status, upstream.requests.length]).toEqual([500, 0]);
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(answer.text).not.toContain('secret');
  });

  it('in reading an error leaves the error of the upstream what it is', async () => {
    const refusal = { status: 400, message: 'Something is wrong with this' };
    const upstream = await createStrictUpstream({ failures: () => ({ refusal }) });
    const readOverflow = (): never => {
      throw new Error('cannot read');
    };
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { readOverflow } });
    const answer = await rawCall(proxy.url, callOf({ dialect: 'chat', isStreamed: false }));
    await upstream.stop();
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(refusal.message);
  });
});

const drivers: Readonly<Record<string, Driver['complete']>> = {
  rejects: () => Promise.reject(new Error('no')),
  fails: () => Promise.resolve({ type: 'failed', cause: 'unavailable', message: 'down' }),
  'finds its own prompt too long': () =>
    Promise.resolve({ type: 'failed', cause: 'overflow', message: 'long' }),
  'says nothing': () => Promise.resolve({ type: 'text', text: '', finish: 'stop' }),
  'writes nonsense': () => Promise.resolve({ type: 'text', text: '\u0000\uFFFD {"a":', finish: 'stop' }),
  'writes more than there was': () =>
    Promise.resolve({ type: 'text', text: 'And then it was moved again. '.repeat(9_000), finish: 'stop' }),
  'is cut off': () => Promise.resolve({ type: 'text', text: 'They spoke of', finish: 'length' }),
};

describe('a summariser that', () => {
  it.each(Object.entries(drivers))('%s does not keep a request from its answer', async (_, complete) => {
    const upstream = await createStrictUpstream({ windowTokens });
    let asked = 0;
    const driver: Driver = {
      name: 'bad',
      complete: (...given) => {
        asked += 1;
        return complete(...given);
      },
    };
    const services = { summariserFor: () => driver };
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, services });
    for (const dialect of dialectNames) {
      const question = callOf({ dialect, isStreamed: true, messages: longTalk(30) });
      const answer = await rawCall(proxy.url, question);
      expect([dialect, answer.status]).toEqual([dialect, 200]);
    }
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests.every((request) => (request.promptTokens ?? 0) < windowTokens)).toBe(true);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(30);
  });
});

const tools = Array.from({ length: 60 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'It reads a file, and tells what is in it. '.repeat(20),
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}));

describe('what cannot be made smaller', () => {
  it('and is larger than the window is one error that names its parts, and no call', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 8_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 8_000 });
    const answers = [];
    for (const isStreamed of [true, false, true]) {
      const question = callOf({ dialect: 'messages', isStreamed, messages: longTalk(12), more: { tools } });
      answers.push(await rawCall(proxy.url, question));
    }
    await upstream.stop();
    expect(upstream.requests).toEqual([]);
    for (const { status, text } of answers) {
      expect(status).toBe(400);
      const { type, error } = JSON.parse(text) as { type: string; error: { type: string; message: string } };
      expect([type, error.type]).toEqual(['error', 'invalid_request_error']);
      expect(error.message).toMatch(/tools/i);
      expect(error.message).toMatch(/\d+ are usable/);
    }
  });

  it('and whose window is only assumed is for the upstream to refuse, in its own words', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 8_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const question = callOf({
      dialect: 'messages',
      isStreamed: true,
      messages: longTalk(2),
      more: { tools },
    });
    const direct = await rawCall(upstream.url, question);
    const answer = await rawCall(proxy.url, question);
    await upstream.stop();
    expect(direct.status).toBe(400);
    expect([answer.status, answer.text]).toEqual([400, direct.text]);
    expect(upstream.requests.length).toBeLessThan(6);
  });
});
