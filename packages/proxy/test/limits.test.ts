import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { askers, talk } from './askers.ts';
import OpenAI from 'openai';
import { startProxy } from './start-proxy.ts';
import type { Said } from './askers.ts';
import type { StatedLimits } from '../src/index.ts';

const filler = 'The account of the customer was moved to the other ledger because it was closed. '.repeat(12);
const long = talk(40, (turn) => `Question ${turn}: why was it moved? ${filler}`);
const ask = askers['chat completions'];

describe('a window that the upstream tells', () => {
  it('is asked for again after an error that names another, which counts until something new is told', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 6_000 });
    const told: StatedLimits[] = [{ windowTokens: 100_000 }, { windowTokens: 100_000 }];
    let asked = 0;
    const discoverLimits = (): Promise<StatedLimits | undefined> => Promise.resolve(told[asked++]);
    await using proxy = await startProxy(`${upstream.url}/v1`, { services: { discoverLimits } });
    const statuses = (): readonly number[] => upstream.requests.map(({ status }) => status);
    await ask(proxy.url, { messages: long, isStreamed: false });
    expect(statuses()).toEqual([400, 200]);
    const more = [...long, { role: 'assistant' as const, text: 'So.' }, ...talk(1, () => filler)];
    await ask(proxy.url, { messages: more, isStreamed: false });
    await ask(proxy.url, { messages: talk(30, () => filler), isStreamed: false });
    await upstream.stop();
    expect(asked).toBe(2);
    expect(statuses()).toEqual([400, 200, 200, 200]);
  });
});

describe('a window that nobody tells', () => {
  it.each([true, false])(
    'is larger than what is assumed where instructions alone are, until the upstream says how large (streamed: %s)',
    async (isStreamed) => {
      const instructions = {
        role: 'system' as const,
        content: 'Be kind to the clerk of the ledger. '.repeat(1_600),
      };
      const upstream = await createStrictUpstream({ windowTokens: 32_000 });
      await using proxy = await startProxy(`${upstream.url}/v1`);
      const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'k', maxRetries: 0 });
      const said = talk(24, (turn) => `Question ${turn}: ${filler.repeat(3)}`);
      // The whole history at each third turn, as a client sends it that has been at work.
      for (let length = 1; length <= said.length; length += 6) {
        const request = { model: 'm', messages: [instructions, ...said.slice(0, length).map(toMessage)] };
        const { choices } = isStreamed
          ? await client.chat.completions.stream(request).finalChatCompletion()
          : await client.chat.completions.create(request);
        expect(choices[0]?.message.content).toContain('The answer to what begins');
      }
      await upstream.stop();
      const statuses = upstream.requests.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200)).toEqual([400]);
      expect(proxy.lines.filter((line) => line.includes('cannot be managed'))).toEqual([]);
    },
  );
});

const toMessage = ({ role, text }: Said): { readonly role: Said['role']; readonly content: string } => ({
  role,
  content: text,
});

describe('the limit of an answer', () => {
  const limitOf = (body: unknown): unknown => (body as Record<string, unknown>)['max_completion_tokens'];

  it.each([false, true])('is lowered before anything is compacted (window told: %s)', async (isTold) => {
    const windowTokens = 6_000;
    const upstream = await createStrictUpstream({ windowTokens, server: 'vllm', countsMaxTokens: true });
    const route = isTold ? { windowTokens } : {};
    await using proxy = await startProxy(`${upstream.url}/v1`, route);
    const messages = talk(6, () => filler);
    await ask(proxy.url, { messages, isStreamed: false, maxTokens: 5_900 });
    await upstream.stop();
    const sent = upstream.requests.at(-1);
    expect(sent?.status).toBe(200);
    // What is estimated may be too low: then the server's own count makes it right.
    expect(upstream.requests.length).toBeLessThanOrEqual(3);
    expect(sent?.asked?.messages).toHaveLength(messages.length);
    expect(limitOf(sent?.json)).toBeLessThan(5_900);
    expect(limitOf(sent?.json)).toBeGreaterThanOrEqual(1_024);
    expect(proxy.lines).toEqual([]);
  });

  it.each([8, 12, 16, 20])('is never lowered below 1 024 (%s turns)', async (turns) => {
    const windowTokens = 6_000;
    const upstream = await createStrictUpstream({ windowTokens, server: 'vllm', countsMaxTokens: true });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    await ask(proxy.url, { messages: talk(turns, () => filler), isStreamed: false, maxTokens: 4_000 });
    await upstream.stop();
    expect(upstream.requests.at(-1)?.status).toBe(200);
    for (const { json } of upstream.requests) expect(limitOf(json)).toBeGreaterThanOrEqual(1_024);
  });

  it('that is small already stays as it is', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 6_000, countsMaxTokens: true });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    await ask(proxy.url, { messages: talk(16, () => filler), isStreamed: false, maxTokens: 64 });
    await upstream.stop();
    expect(limitOf(upstream.requests[0]?.json)).toBe(64);
  });
});
