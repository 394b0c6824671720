import { createStrategy, emptyState, openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { createPlainFit } from './plain-fit.ts';
import type { Policy } from '@throughline/core';

const policy: Policy = { strategy: createStrategy('digest'), budget: { windowTokens: 8_000 } };
const fitChat = createPlainFit(openaiChatCodec, () => undefined);
const hello = [{ role: 'user', content: 'hello' }];
const tool = { type: 'function', function: { name: 'read' } };

describe('a request behind another system text or other tools', () => {
  const first = { policy, system: 'You are kind.', tools: [tool] };

  it.each([
    ['the same', first, false],
    ['another system text', { ...first, system: 'You are rude.' }, true],
    ['no system text', { policy, tools: [tool] }, true],
    ['another tool', { ...first, tools: [tool, tool] }, true],
  ])('is told from the one before: %s', async (_, options, hasPrefixChanged) => {
    const { state, step } = await fitChat(hello, emptyState(), first);
    expect(step.report.hasPrefixChanged).toBe(false);
    const next = await fitChat([...hello, { role: 'assistant', content: 'hi' }], state, options);
    expect(next.step.report.hasPrefixChanged).toBe(hasPrefixChanged);
    const elsewhere = await fitChat(hello, JSON.parse(JSON.stringify(state)), options);
    expect(elsewhere.step.report.hasPrefixChanged).toBe(hasPrefixChanged);
  });
});

describe('options of an adapter', () => {
  it.each([
    ['polcy', { policy, polcy: policy }],
    ['driver', { policy, driver: 'gpt' }],
    ['policy', {}],
    ['policy', { policy: [policy] }],
    ['policy.budget', { policy: {} }],
    ['policy.budget', { policy: { ...policy, budget: null } }],
    ['system', { policy, system: { tokens: 7n } }],
    ['tools', { policy, tools: tool }],
    ['policy.strategi', { policy: { ...policy, strategi: 1 } }],
    ['messages', { policy }],
  ])('are refused by name: %s', async (option, options) => {
    const messages = option === 'messages' ? ('hello' as never) : hello;
    await expect(fitChat(messages, emptyState(), options as never)).rejects.toMatchObject({
      code: 'invalid-option',
      details: { option },
    });
  });

  it('of another state are refused as one', async () => {
    for (const state of [null, 7, {}, undefined])
      await expect(fitChat(hello, state as never, { policy })).rejects.toMatchObject({ code: 'bad-state' });
  });

  it('that leave nothing to send are refused with the place', async () => {
    for (const messages of [[], [{ role: 'user', content: '' }]])
      await expect(fitChat(messages, emptyState(), { policy })).rejects.toMatchObject({
        code: 'bad-wire-format',
        details: { path: 'messages' },
      });
  });
});
