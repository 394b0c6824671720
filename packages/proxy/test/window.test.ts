import { createStrictUpstream, serverKinds } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { askers, talk } from './askers.ts';
import { startProxy } from './start-proxy.ts';
import type { ServerName } from '@throughline/testkit';

const filler =
  'The account of the customer was moved to the other ledger because the first one was closed. '.repeat(12);
const long = talk(60, (turn) => `Question ${turn}: why was it moved? ${filler}`);

describe.each(Object.entries(askers))('over %s', (_dialect, ask) => {
  it.each([true, false])(
    'an answer that outgrows the window is continued, streamed: %s',
    async (isStreamed) => {
      const windowTokens = 4_000;
      const messages = [
        ...talk(6, (turn) => `Question ${turn}: ${filler}`),
        { role: 'assistant' as const, text: 'It was.' },
        { role: 'user' as const, text: 'Answer with 2400 tokens.' },
      ];
      const free = await createStrictUpstream({});
      const expected = await ask(free.url, { messages, isStreamed, maxTokens: 6_000 });
      await free.stop();
      const upstream = await createStrictUpstream({ windowTokens });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
      const answer = await ask(proxy.url, { messages, isStreamed, maxTokens: 6_000 });
      await upstream.stop();
      expect(upstream.faults).toEqual([]);
      expect(answer.text.slice(-40)).toBe(expected.text.slice(-40));
      expect(answer.text === expected.text).toBe(true);
      expect(answer.finish).toBe(expected.finish);
      expect(upstream.requests.length).toBeGreaterThan(1);
      expect(answer.outputTokens).toBeGreaterThan(2_000);
    },
  );
});

describe.each(Object.keys(serverKinds) as ServerName[])('a window that only %s knows', (server) => {
  it.each([true, false])('is learned from its error (streamed: %s)', async (isStreamed) => {
    const upstream = await createStrictUpstream({ windowTokens: 6_000, server });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const dialect = server === 'anthropic' ? 'messages' : 'chat completions';
    const answer = await askers[dialect](proxy.url, { messages: long, isStreamed });
    await upstream.stop();
    expect(answer.text).toContain('The answer to what begins');
    expect(upstream.requests.at(-1)?.status).toBe(200);
  });
});

describe('a request that cannot be made smaller', () => {
  const tool = {
    type: 'function',
    function: { name: 'look', description: filler.repeat(20), parameters: { type: 'object' } },
  };
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello?' }], tools: [tool] });

  it('gets the words of the upstream that refuses it', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 2_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const ask = (base: string): Promise<string> =>
      fetch(`${base}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }).then((response) => response.text());
    const told = await ask(proxy.url);
    expect(told).toBe(await ask(upstream.url));
    expect(told).toContain('context');
    await upstream.stop();
  });
});
