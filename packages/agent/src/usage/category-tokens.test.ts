import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeSent, historyArbitrary } from '@throughline/testkit';
import {
  anthropicCodec,
  createStrategy,
  emptyState,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  replay,
  sessionCodec,
} from '@throughline/core';
import { categoryTokens } from './category-tokens.ts';
import { contextUsageOf } from './context-usage-of.ts';
import type { Change, Policy, Transcript } from '@throughline/core';
import type { CategorySums } from './category-tokens.ts';

const policyOf = (windowTokens: number): Policy => ({
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens },
});

function viewed(transcript: Transcript, changes: readonly Change[] = []): Readonly<CategorySums> {
  return categoryTokens(replay(transcript.conversation, changes).view, transcript.media);
}

const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const reading = (result: unknown): Transcript =>
  openTranscript({ codec: anthropicCodec }, [
    { role: 'user', content: 'Read.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: { path: 'a.png' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: result }] },
  ]);

describe('categoryTokens', () => {
  it('adds up to what the messages of the view cost, whatever was done to them', () => {
    const formats = { anthropic: anthropicCodec, 'openai-responses': openaiResponsesCodec };
    const example = fc.constantFrom('anthropic', 'openai-responses').chain((format) =>
      fc.record({
        codec: fc.constant(formats[format]),
        messages: historyArbitrary({ format, hostility: 'wild', size: 8 }),
        windowTokens: fc.constantFrom(2_000, 6_000, 30_000, 1_000_000),
      }),
    );
    fc.assert(
      fc.property(example, ({ codec, messages, windowTokens }) => {
        const transcript = openTranscript({ codec }, messages);
        fc.pre(canBeSent(transcript));
        const step = prepare(transcript, emptyState(), policyOf(windowTokens));
        fc.pre(step.type === 'ready');
        if (step.type !== 'ready') return;
        const sums = categoryTokens(step.view, transcript.media);
        const spent = step.view.items.slice().reduce((sum, { tokens }) => sum + tokens, 0);
        expect(Object.values(sums).reduce((sum, tokens) => sum + tokens, 0)).toBeCloseTo(spent, 4);
        expect(Math.min(...Object.values(sums))).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('tells the images in a result from its text, until the result is pruned', () => {
    const transcript = reading([{ type: 'text', text: 'the picture '.repeat(50) }, image]);
    const before = viewed(transcript);
    expect(before.media).toBe(transcript.media.unknownImageTokens);
    expect(before.toolResults).toBeGreaterThan(50);
    const { view } = replay(transcript.conversation, []);
    const item = view.items.at(2);
    if (item?.type !== 'entry') throw new Error('expected the result');
    const pruned = {
      type: 'result-pruned',
      anchor: { ordinal: 2, part: 0, fingerprint: '' },
      text: '[cleared]',
      reason: 'old-output',
      beforeTokens: 2_000,
      afterTokens: 20,
      recallId: 'm2.0',
    } as unknown as (typeof item.changes)[number];
    const anew = reading([{ type: 'text', text: 'the picture '.repeat(50) }, image]);
    const items = view.items.slice().with(2, { ...item, changes: [pruned], tokens: 24 });
    const shown = { ...view, conversation: anew.conversation, items: view.items.take(0).append(items) };
    expect(categoryTokens(shown, anew.media)).toMatchObject({ media: 0, toolResults: 24 });
  });

  it('counts nothing of what a compaction of the provider stands for', () => {
    const said = (text: string): unknown => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });
    const barrier = {
      id: 'b',
      role: 'assistant',
      parts: [{ type: 'opaque', value: { type: 'compaction', content: 'x'.repeat(400) }, isBarrier: true }],
    };
    const first = openTranscript({ codec: sessionCodec }, [said('before '.repeat(500))] as never);
    const hidden = openTranscript({ codec: sessionCodec }, [
      said('before '.repeat(500)),
      barrier,
      said('after'),
    ] as never);
    expect(viewed(first).user).toBeGreaterThan(400);
    const sums = viewed(hidden);
    expect(sums.user).toBeLessThan(20);
    expect(sums.summary).toBeGreaterThan(20);
    // Also where the compaction has only just come, and the view is older.
    const policy = policyOf(100_000);
    const { view } = replay(first.conversation, []);
    const usage = contextUsageOf({ transcript: hidden, view, state: emptyState(), policy });
    expect(usage.byCategory.user).toBeLessThan(20);
  });

  it('counts the error results that open calls get as results', () => {
    const open = openTranscript({ codec: anthropicCodec }, [
      { role: 'user', content: 'Read.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
    ]);
    const { view } = replay(open.conversation, []);
    const context = { transcript: open, view, state: emptyState(), policy: policyOf(100_000) };
    expect(contextUsageOf(context).byCategory.toolResults).toBeGreaterThan(10);
  });
});
