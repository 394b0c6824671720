import { askerOf, callOf, dialectNames, longTalk } from './questions.ts';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openCall, rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { CallerQuota } from '../src/index.ts';
import type { Driver } from '@throughline/ports';
import type { StrictUpstream } from '@throughline/testkit';

/** One caller, who may use so much; what is used is counted at once. */
function quotaOf(limit = Infinity): CallerQuota & { readonly sum: () => number } {
  let sum = 0;
  return {
    counts: () => true,
    refusalOf: () =>
      Promise.resolve(
        sum < limit
          ? undefined
          : { message: `${sum} tokens were used, of ${limit}.`, details: { retryAfterMs: 90_500 } },
      ),
    used: (_owner, tokens) => void (sum += tokens),
    stored: () => Promise.resolve(),
    sum: () => sum,
  };
}

/** What the upstream has answered with tokens, by its own count. */
function countedBy({ requests }: StrictUpstream): number {
  return requests
    .filter(({ kind, status }) => kind === 'answer' && status === 200)
    .reduce((sum, { promptTokens = 0, answer }) => sum + promptTokens + (answer?.tokens ?? 0), 0);
}

describe.each(dialectNames)('a quota over %s', (dialect) => {
  it.each([true, false])('counts what the upstream has counted (streamed: %s)', async (isStreamed) => {
    const upstream = await createStrictUpstream();
    const quota = quotaOf();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    await askerOf(dialect)(proxy.url, { messages: longTalk(4), isStreamed });
    await expect.poll(() => quota.sum() - countedBy(upstream)).toBe(0);
    expect(quota.sum()).toBeGreaterThan(100);
    // The client wants its context left alone, and is counted all the same.
    const before = quota.sum();
    await askerOf(dialect)(proxy.url, {
      messages: longTalk(4),
      isStreamed,
      headers: { 'x-context': 'off' },
    });
    await expect.poll(() => quota.sum() - countedBy(upstream)).toBe(0);
    expect(quota.sum()).toBeGreaterThan(before);
    await upstream.stop();
  });

  it('counts every part of an answer that is continued, and nothing of one that was refused', async () => {
    const windowTokens = 4_000;
    const upstream = await createStrictUpstream({ windowTokens });
    const quota = quotaOf();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    const messages = longTalk(30, 'Answer with 2400 tokens.');
    await askerOf(dialect)(proxy.url, { messages, isStreamed: false, maxTokens: 3_000 });
    expect(upstream.requests.some(({ status }) => status >= 400)).toBe(true);
    const sent = upstream.requests.filter(({ status }) => status === 200);
    await expect.poll(() => quota.sum() - countedBy(upstream)).toBe(0);
    await upstream.stop();
    expect(sent.length).toBeGreaterThan(0);
  });

  it('counts the prompt, and what came, of an answer that nobody waited for', async () => {
    const upstream = await createStrictUpstream({ failures: [{ waitAfter: { packets: 9 } }] });
    const quota = quotaOf();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    const call = openCall(
      proxy.url,
      callOf({ dialect, isStreamed: true, messages: longTalk(20, 'Answer with 40 tokens.') }),
    );
    const asked = await upstream.request(0);
    await call.heard('word');
    call.leave();
    await asked.ended;
    await expect.poll(() => quota.sum()).toBeGreaterThan(0);
    await upstream.stop();
    const promptTokens = upstream.requests[0]?.promptTokens ?? 0;
    expect(quota.sum()).toBeGreaterThan(promptTokens * 0.7);
    expect(quota.sum()).toBeLessThan(promptTokens * 1.5);
  });

  it('that is used up is told in the words of the dialect, and nothing reaches the upstream', async () => {
    const upstream = await createStrictUpstream();
    const quota = quotaOf(1);
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    expect((await rawCall(proxy.url, callOf({ dialect, isStreamed: true }))).status).toBe(200);
    await expect.poll(() => quota.sum()).toBeGreaterThan(0);
    for (const headers of [{}, { 'x-context': 'off' }]) {
      const refused = await rawCall(proxy.url, { ...callOf({ dialect, isStreamed: true }), headers });
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '91' } });
      const { error, type } = JSON.parse(refused.text) as { error: Record<string, unknown>; type?: string };
      expect(error).toMatchObject({ type: 'rate_limit_error', message: expect.stringContaining('of 1') });
      if (dialect === 'messages') expect(type).toBe('error');
      else expect(error['code']).toBe('rate_limit_exceeded');
    }
    // What is only looked at is there.
    expect((await rawCall(proxy.url, { method: 'GET', path: '/v1/models' })).status).toBe(200);
    await upstream.stop();
    expect(upstream.requests.filter(({ kind }) => kind === 'answer')).toHaveLength(1);
  });
});

describe('a quota', () => {
  it('counts what a model takes for the summaries of a caller', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 4_000 });
    const quota = quotaOf();
    let asked = 0;
    const driver: Driver = {
      name: 'writer',
      complete: () => {
        asked += 1;
        const usage = { inputTokens: 100_000, outputTokens: 0 };
        return Promise.resolve({ type: 'text', text: '## Completed Work\n- Moved.', finish: 'stop', usage });
      },
    };
    const services = { quota, summariserFor: () => driver };
    await using proxy = await startProxy(`${upstream.url}/v1`, { services, windowTokens: 4_000 });
    await askerOf('chat')(proxy.url, { messages: longTalk(60), isStreamed: false, maxTokens: 200 });
    await upstream.stop();
    expect(asked).toBeGreaterThan(0);
    await expect.poll(() => quota.sum() - countedBy(upstream)).toBe(asked * 100_000);
  });

  it('counts no questions for a number of tokens', async () => {
    const upstream = await createStrictUpstream();
    const quota = quotaOf();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] });
    const counted = await rawCall(proxy.url, {
      ...callOf({ dialect: 'messages', isStreamed: false }),
      path: '/v1/messages/count_tokens',
      body,
    });
    expect(counted.status).toBe(200);
    await upstream.stop();
    expect(quota.sum()).toBe(0);
  });

  it('estimates what nobody counts, by bytes and events', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 100_000 });
    const quota = quotaOf();
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { quota } });
    // Nobody asks for the usage of this stream.
    const call = callOf({ dialect: 'chat', isStreamed: true, messages: longTalk(20) });
    const { text } = await rawCall(proxy.url, { ...call, headers: { 'x-context': 'off' } });
    await upstream.stop();
    expect(text).not.toContain('"usage":{');
    const counted = countedBy(upstream);
    await expect.poll(() => quota.sum()).toBeGreaterThan(counted * 0.5);
    expect(quota.sum()).toBeLessThan(counted * 2);
  });
});
