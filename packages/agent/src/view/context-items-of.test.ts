import { anthropicCodec, createStrategy, emptyState, openTranscript, prepare } from '@throughline/core';
import { canBeSent, historyArbitrary } from '@throughline/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextItemsOf } from './context-items-of.ts';
import { contextUsageOf } from './context-usage-of.ts';
import type { Policy } from '@throughline/core';
import type { MeasuredView } from '@throughline/core/internal';

const words = (count: number): string => 'word '.repeat(count);
const tools = [
  { name: 'read', description: words(40) },
  { name: 'write', description: words(400) },
];

function measured(messages: readonly unknown[], windowTokens = 200_000): MeasuredView | undefined {
  const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens } };
  const transcript = openTranscript({ codec: anthropicCodec, system: 'You are an agent.', tools }, messages);
  if (!canBeSent(transcript)) return undefined;
  const step = prepare(transcript, emptyState(), policy);
  return step.type === 'ready' ? { transcript, view: step.view, state: step.state, policy } : undefined;
}

function ready(messages: readonly unknown[], windowTokens?: number): MeasuredView {
  const context = measured(messages, windowTokens);
  if (!context) throw new Error('expected a view');
  return context;
}

const turn = (index: number): unknown[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'read', input: { path: 'a' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: words(2_000) }] },
];

describe('contextItemsOf', () => {
  it('tells pieces that add up to the whole request, the largest first, whatever the history', () => {
    const example = fc.record({
      messages: historyArbitrary({ format: 'anthropic', hostility: 'wild' }),
      limit: fc.integer({ min: 1, max: 30 }),
      windowTokens: fc.constantFrom(3_000, 30_000, 1_000_000),
    });
    fc.assert(
      fc.property(example, ({ messages, limit, windowTokens }) => {
        const context = measured(messages, windowTokens);
        fc.pre(context !== undefined);
        if (!context) return;
        const { items, others } = contextItemsOf(context, { limit, pins: [] });
        const sizes = items.map(({ tokens }) => tokens);
        const sum = sizes.reduce((all, tokens) => all + tokens, 0);
        expect(sum + others.tokens).toBe(contextUsageOf(context).currentTokens);
        expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
        expect(items.length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('names each tool, and of a message its place, its tools and its first words', () => {
    const { items } = contextItemsOf(ready([{ role: 'user', content: 'Read it,\n please.' }, ...turn(0)]), {
      limit: 20,
      pins: [0],
    });
    const result = items.find(({ ordinal }) => ordinal === 2);
    expect(result?.excerpt.startsWith('word word')).toBe(true);
    const tokens: unknown = expect.any(Number);
    const plain = { ordinal: null, role: null, excerpt: '', isPinned: false, isEdited: false };
    expect(items.find(({ ordinal }) => ordinal === 1)).toMatchObject({ name: 'read', role: 'assistant' });
    expect(items).toContainEqual({ ...plain, type: 'system', name: 'system', tokens });
    expect(items.filter(({ type }) => type === 'tool').map(({ name }) => name)).toEqual(['write', 'read']);
    expect(items).toContainEqual({
      ...plain,
      type: 'message',
      name: '',
      ordinal: 0,
      role: 'user',
      excerpt: 'Read it, please.',
      isPinned: true,
      tokens,
    });
  });

  it('tells a summary apart from what was said, and what was edited', () => {
    const context = ready(
      [
        { role: 'user', content: words(200) },
        ...Array.from({ length: 40 }, (_, index) => turn(index)).flat(),
      ],
      12_000,
    );
    const { items } = contextItemsOf(context, { limit: 200, pins: [] });
    expect(items.filter(({ type }) => type === 'summary')).toMatchObject([
      { name: 'summary', ordinal: null },
      { name: 'note', ordinal: null },
    ]);
    expect(items.some(({ isEdited }) => isEdited)).toBe(true);
  });
});
