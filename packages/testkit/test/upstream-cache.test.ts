import { countText } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openUpstream } from './open-upstream.ts';

const text = (at: number): string => `message ${at}: ${'some words '.repeat(30)}`;
const cost = (at: number): number => 4 + countText(text(at));
const user = (at: number): { role: 'user'; content: string } => ({ role: 'user', content: text(at) });
const said = (at: number): { role: 'assistant'; content: string } => ({
  role: 'assistant',
  content: text(at),
});
const mark = { cache_control: { type: 'ephemeral' as const } };
const marked = (at: number): object => ({
  role: 'user',
  content: [{ type: 'text', text: text(at), ...mark }],
});

describe('the prefix cache of chat and Responses', () => {
  it('reads all that an earlier request began with', async () => {
    const { openai, upstream } = await openUpstream();
    const ask = async (...messages: (ReturnType<typeof user> | ReturnType<typeof said>)[]): Promise<number> =>
      (await openai.chat.completions.create({ model: 'm', messages })).usage?.prompt_tokens_details
        ?.cached_tokens ?? -1;
    expect(await ask(user(1))).toBe(0);
    expect(await ask(user(1), said(2), user(3))).toBe(3 + cost(1));
    expect(await ask(user(1), said(2), user(3))).toBe(3 + cost(1) + cost(2) + cost(3));
    expect(await ask(user(9), said(2), user(3))).toBeLessThan(cost(9));
    const figures = upstream.cacheFigures();
    expect(figures.requests).toBe(4);
    expect(figures.uses.map(({ read }) => read)[1]).toBe(3 + cost(1));
    expect(figures.readTokens).toBe(figures.uses.reduce((sum, { read }) => sum + read, 0));
  });

  it('breaks off inside of a message that changes in its middle', async () => {
    const { openai } = await openUpstream();
    const input = (tail: string): object => ({ model: 'm', input: `${'x'.repeat(1800)}${tail}` });
    await openai.responses.create(input('a') as never);
    const second = (await openai.responses.create({ ...input('b'), stream: false } as never)) as {
      usage: { input_tokens_details: { cached_tokens: number } };
    };
    expect(second.usage.input_tokens_details.cached_tokens).toBe(3 + 4 + 500);
  });

  it('is one per model, and says nothing where it was told not to', async () => {
    const { openai, upstream } = await openUpstream({ reportsCache: false });
    const ask = (model: string): Promise<unknown> =>
      openai.chat.completions.create({ model, messages: [user(1)] });
    await ask('m');
    await ask('n');
    expect(await ask('m')).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 0 } } });
    expect(upstream.cacheFigures().uses.map(({ read }) => read)).toEqual([0, 0, 3 + cost(1)]);
  });

  it('keeps nothing that is shorter than its least', async () => {
    const { openai, upstream } = await openUpstream({ minimumCachedTokens: 1024 });
    for (let turn = 0; turn < 2; turn += 1)
      await openai.chat.completions.create({ model: 'm', messages: [user(1)] });
    expect(upstream.cacheFigures().readTokens).toBe(0);
  });
});

describe('the cache of Messages', () => {
  const ask = async (
    opened: Awaited<ReturnType<typeof openUpstream>>,
    ...messages: object[]
  ): Promise<object> => {
    const body = { model: 'm', max_tokens: 500, messages };
    return (await opened.anthropic.messages.create({ ...body, stream: false } as never)) as object;
  };
  const usage = (created: number, read: number, input: number): object => ({
    usage: {
      cache_creation_input_tokens: created,
      cache_read_input_tokens: read,
      input_tokens: input,
    },
  });

  it('is written at marks and nowhere else', async () => {
    const opened = await openUpstream();
    expect(await ask(opened, user(1))).toMatchObject(usage(0, 0, 3 + cost(1)));
    expect(await ask(opened, marked(1), said(2), user(3))).toMatchObject(
      usage(3 + cost(1), 0, cost(2) + cost(3)),
    );
    expect(await ask(opened, marked(1), said(2), user(3))).toMatchObject(
      usage(0, 3 + cost(1), cost(2) + cost(3)),
    );
    expect(opened.upstream.faults).toEqual([]);
  });

  it('follows a mark that moves with the newest message, and not one that moves too far', async () => {
    const opened = await openUpstream();
    await ask(opened, marked(1));
    expect(await ask(opened, user(1), said(2), marked(3))).toMatchObject(
      usage(cost(2) + cost(3), 3 + cost(1), 0),
    );
    const far = Array.from({ length: 22 }, (_, at) => (at % 2 === 0 ? said(at + 10) : user(at + 10)));
    const cached = (await ask(opened, user(1), ...far, marked(40))) as { usage: object };
    expect(cached.usage).toMatchObject({ cache_read_input_tokens: 0 });
  });

  it('reads nothing behind a message that changed', async () => {
    const opened = await openUpstream();
    await ask(opened, user(1), said(2), marked(3));
    expect(await ask(opened, user(8), said(2), marked(3))).toMatchObject(
      usage(3 + cost(8) + cost(2) + cost(3), 0, 0),
    );
  });
});
