import { createStrategy, emptyState, openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { createPlainFit } from './plain-fit.ts';
import type { Policy } from '@throughline/core';

const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 4_000 } };
const fitChat = createPlainFit<{ prompt_tokens: number }>(
  openaiChatCodec,
  ({ prompt_tokens }) => prompt_tokens,
);

interface Message {
  readonly role: string;
  readonly content: string;
}

function talk(turns: number): Message[] {
  return Array.from({ length: turns }, (_, turn): Message[] => [
    { role: 'user', content: `Question ${turn}: ${'why does it fail? '.repeat(20)}` },
    { role: 'assistant', content: `Answer ${turn}: ${'because of the account. '.repeat(20)}` },
  ])
    .flat()
    .concat([{ role: 'user', content: 'And now?' }]);
}

describe('createPlainFit', () => {
  it('returns the very objects it has not touched', async () => {
    const messages = talk(2);
    const fitted = await fitChat(messages, emptyState(), { policy });
    fitted.messages.forEach((message, index) => expect(message).toBe(messages[index]));
    const longer = talk(40);
    const shorter = await fitChat(longer, emptyState(), { policy });
    expect(shorter.messages.length).toBeLessThan(longer.length / 2);
    expect(shorter.messages.at(-1)).toBe(longer.at(-1));
    expect(shorter.rendered.filter(({ source }) => source === 'written').length).toBeGreaterThan(0);
  });

  it('gives the same from a state out of a file as from the one it returned', async () => {
    const messages = talk(40);
    const first = await fitChat(messages, emptyState(), { policy });
    const state = first.stateAfter({ prompt_tokens: 1_500 });
    const next = [
      ...messages,
      { role: 'assistant', content: 'It is the account.' },
      { role: 'user', content: 'Sure?' },
    ];
    const here = await fitChat(next, state, { policy });
    const elsewhere = await fitChat(next, JSON.parse(JSON.stringify(state)), { policy });
    expect(elsewhere.messages).toEqual(here.messages);
    expect(JSON.stringify(elsewhere.state)).toBe(JSON.stringify(here.state));
    expect(here.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  it('says which limit of the wire is in the way, where tokens are not', async () => {
    const long = [{ role: 'user', content: 'x'.repeat(8_000) }];
    const tight: Policy = { ...policy, wire: { maxBytes: 200 } };
    await expect(fitChat(long, emptyState(), { policy: tight })).rejects.toMatchObject({
      code: 'cannot-fit',
      message: expect.stringMatching(/tokens, \d+ are usable \(\d+ bytes of 200\)/) as unknown,
      details: { wire: { maxBytes: 200 } },
    });
  });

  it('counts system text and tools', async () => {
    const messages = talk(1);
    const bare = await fitChat(messages, emptyState(), { policy });
    const tools = [{ type: 'function', function: { name: 'read', description: 'Reads. '.repeat(100) } }];
    const full = await fitChat(messages, emptyState(), {
      policy,
      system: [{ type: 'text', text: 'Be careful.' }],
      tools,
    });
    expect(full.step.report.tokens.final).toBeGreaterThan(bare.step.report.tokens.final + 150);
  });

  it('keeps the state as it is where nothing was counted', async () => {
    const fitted = await fitChat(talk(1), emptyState(), { policy });
    expect(fitted.stateAfter(undefined)).toBe(fitted.state);
    expect(fitted.stateAfter(null)).toBe(fitted.state);
    expect(fitted.stateAfter({ prompt_tokens: 300 }).usage?.actualTokens).toBe(300);
  });

  it('makes a refused request smaller, and remembers the window the error named', async () => {
    const messages = talk(20);
    const told = { ...policy, budget: { windowTokens: 32_000 } };
    const fitted = await fitChat(messages, emptyState(), { policy: told });
    expect(fitted.messages).toHaveLength(messages.length);
    const smaller = await fitted.smaller(4_000);
    expect(smaller.step.report.windowTokens).toBe(4_000);
    expect(smaller.step.report.tokens.final).toBeLessThan(3_000);
    const next = await fitChat([...messages, { role: 'assistant', content: 'ok' }], smaller.state, {
      policy: told,
    });
    expect(next.step.report.windowTokens).toBe(4_000);
  });

  it('says so where a refused request cannot become smaller', async () => {
    const alone = await fitChat([{ role: 'user', content: 'go' }], emptyState(), { policy });
    await expect(alone.smaller()).rejects.toMatchObject({ code: 'cannot-fit' });
    const manual = await fitChat(talk(2), emptyState(), { policy: { ...policy, auto: false } });
    await expect(manual.smaller()).rejects.toMatchObject({ code: 'cannot-fit' });
  });

  it('answers recall from the whole history', async () => {
    const fitted = await fitChat(talk(40), emptyState(), { policy });
    expect(fitted.recall('{"id":"m1"}')).toContain('Answer 0');
    expect(fitted.recall({ query: 'Answer 7:' })).toContain('m15');
  });
});
