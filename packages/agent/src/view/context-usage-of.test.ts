import {
  anthropicCodec,
  appendMessages,
  checkOverflow,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  recordUsage,
  sessionCodec,
} from '@throughline/core';
import { replay } from '@throughline/core/internal';
import { canBeSent, historyArbitrary } from '@throughline/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoryTokens, contextUsageOf, shareOut } from './context-usage-of.ts';
import type { Codec, ContextState, Policy, Ready, Transcript } from '@throughline/core';
import type { MeasuredView } from '@throughline/core/internal';
import type { Change } from '@throughline/core/types';
import type { UsageByCategory } from '@throughline/protocol/types';
import type { CategorySums } from './context-usage-of.ts';

function policyOf(windowTokens: number): Policy {
  return { strategy: createStrategy('reactive-overflow'), budget: { windowTokens } };
}

function stepOf(transcript: Transcript, policy: Policy, state: ContextState = emptyState()): Ready {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

function sumOf(byCategory: UsageByCategory): number {
  return Object.values(byCategory).reduce((sum, tokens) => sum + tokens, 0);
}

const policy = policyOf(200_000);
const words = (count: number): string => 'word '.repeat(count);

const turn = (index: number): unknown[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: `t${index}`, name: 'read', input: { path: 'a.ts' } }],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: `t${index}`,
        content: [
          { type: 'text', text: `${index} ${words(2_000)}` },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
    ],
  },
];

function sessionOf(
  turns: number,
  more: { readonly system?: string; readonly tools?: unknown[] } = {},
): Transcript {
  const first = { role: 'user', content: words(200) };
  const messages = Array.from({ length: turns }, (_, index) => turn(index)).flat();
  return openTranscript({ codec: anthropicCodec, ...more }, [first, ...messages]);
}

function freshOf(transcript: Transcript): MeasuredView {
  const { view, state } = stepOf(transcript, policy);
  return { transcript, view, state, policy };
}

const formats: Record<'openai-chat' | 'anthropic', Codec> = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
};

describe('contextUsageOf', () => {
  it('has categories that add up, none below zero, whatever the history, its changes and the counts', () => {
    const format = fc.constantFrom('openai-chat', 'anthropic');
    const example = format.chain((name) =>
      fc.record({
        codec: fc.constant(formats[name]),
        messages: historyArbitrary({ format: name, hostility: 'wild' }),
        cut: fc.nat(),
        windowTokens: fc.constantFrom(3_000, 30_000, 1_000_000),
        inputTokens: fc.integer({ min: 0, max: 100_000 }),
        reserved: fc.record({ assistant: fc.nat(5_000), user: fc.nat(50) }, { requiredKeys: [] }),
      }),
    );
    fc.assert(
      fc.property(example, ({ codec, messages, cut, windowTokens, inputTokens, reserved }) => {
        const narrow = policyOf(windowTokens);
        const tools = [{ name: 'read', description: 'Reads a file.' }];
        const whole = { codec, system: 'You are an agent.', tools };
        const before = openTranscript(whole, messages.slice(0, cut % (messages.length + 1)));
        fc.pre(canBeSent(before));
        const step = prepare(before, emptyState(), narrow);
        fc.pre(step.type === 'ready');
        if (step.type !== 'ready') return;
        const state = recordUsage(before, step.state, { inputTokens, windowTokens });
        const transcript = appendMessages(before, messages.slice(before.conversation.entries.length));
        const context = { transcript, view: step.view, state, policy: narrow };
        const usage = contextUsageOf(context, reserved);
        expect(sumOf(usage.byCategory)).toBe(usage.currentTokens);
        expect(
          Object.values(usage.byCategory).every((tokens) => Number.isInteger(tokens) && tokens >= 0),
        ).toBe(true);
        expect(JSON.parse(JSON.stringify(usage))).toEqual(usage);
        expect(contextUsageOf(context, reserved)).toEqual(usage);
      }),
    );
  });

  it('tells what each message is spent on', () => {
    const tools = [{ name: 'read', description: words(50) }];
    const { byCategory } = contextUsageOf(freshOf(sessionOf(2, { system: words(100), tools })));
    expect(byCategory.summary).toBe(0);
    expect(byCategory.media).toBeGreaterThan(0);
    expect(byCategory.toolResults).toBeGreaterThan(byCategory.user);
    expect(byCategory.user).toBeGreaterThan(byCategory.system);
    expect(byCategory.system).toBeGreaterThan(byCategory.tools);
    expect(byCategory.tools).toBeGreaterThan(byCategory.assistant);
  });

  it('counts what was compacted as summary, and what was pruned no more', () => {
    const transcript = openTranscript({ codec: anthropicCodec }, [
      { role: 'user', content: words(200) },
      ...Array.from({ length: 40 }, (_, index) => turn(index)).flat(),
    ]);
    const before = contextUsageOf(freshOf(transcript));
    const narrow = policyOf(30_000);
    const { view, state, report } = stepOf(transcript, narrow);
    expect(report.wasCompacted).toBe(true);
    const after = contextUsageOf({ transcript, view, state, policy: narrow });
    expect(after.byCategory.summary).toBeGreaterThan(0);
    expect(after.byCategory.media).toBeLessThan(before.byCategory.media);
    expect(after.byCategory.toolResults).toBeLessThan(before.byCategory.toolResults / 2);
    expect(after.currentTokens).toBeLessThan(before.currentTokens);
  });

  it('holds the same number as checkOverflow', () => {
    const transcript = sessionOf(3);
    const { view, state } = stepOf(transcript, policy);
    const usage = contextUsageOf({ transcript, view, state, policy });
    expect(usage.currentTokens).toBe(checkOverflow(transcript, policy, state).currentTokens);
    expect(usage.limit).toBe(stepOf(transcript, policy).report.usableTokens);
    expect(usage.triggerTokens).toBe(stepOf(transcript, policy).report.triggerTokens);
  });

  it('is no estimate only while the provider has counted all of it', () => {
    const transcript = sessionOf(2);
    const { view, state } = stepOf(transcript, policy);
    expect(contextUsageOf({ transcript, view, state, policy }).estimated).toBe(true);
    const counted = recordUsage(transcript, state, { inputTokens: 4_000, windowTokens: 200_000 });
    const context = { transcript, view, state: counted, policy };
    expect(contextUsageOf(context)).toMatchObject({ estimated: false, currentTokens: 4_000 });
    const longer = appendMessages(transcript, [{ role: 'user', content: 'More.' }]);
    expect(contextUsageOf({ ...context, transcript: longer }).estimated).toBe(true);
    expect(contextUsageOf(context, { assistant: 10 }).estimated).toBe(true);
  });

  it('puts an answer that is being written where it will stand', () => {
    const context = freshOf(sessionOf(2));
    const before = contextUsageOf(context);
    const during = contextUsageOf(context, { assistant: 1_000 });
    expect(during.currentTokens).toBe(before.currentTokens + 1_000);
    expect(during.byCategory.assistant - before.byCategory.assistant).toBeCloseTo(1_000, -1);
  });

  it('gives what no estimate sees to system and tools', () => {
    const transcript = sessionOf(2);
    const { view, state } = stepOf(transcript, policy);
    const hidden = { ...state, calibration: { a: 1, b: 5_000 } };
    const { byCategory } = contextUsageOf({ transcript, view, state: hidden, policy });
    expect(byCategory.system).toBe(5_000);
  });

  it.each([
    [79, 'ok'],
    [81, 'warning'],
    [95, 'warning'],
    [96, 'critical'],
    [140, 'critical'],
  ])('names the level at %i percent', (percent, level) => {
    const transcript = sessionOf(1);
    const { view, state } = stepOf(transcript, policy);
    const limit = contextUsageOf({ transcript, view, state, policy }).limit;
    const actualTokens = Math.floor((limit * percent) / 100);
    const full = { ...state, usage: { actualTokens, estimateTokens: view.tokens } };
    expect(contextUsageOf({ transcript, view, state: full, policy }).level).toBe(level);
  });

  it('walks only what is new while the view grows', () => {
    let transcript = sessionOf(3);
    let { view, state } = stepOf(transcript, policy);
    categoryTokens(view, transcript.media);
    for (let index = 3; index < 8; index += 1) {
      transcript = appendMessages(transcript, turn(index));
      ({ view, state } = stepOf(transcript, policy, state));
      const asked: number[] = [];
      const sizes = new Proxy(view.conversation.sizes, {
        get: (target, key) => {
          if (key !== 'at') throw new Error(`expected nothing but at(), got ${String(key)}`);
          return (position: number) => {
            asked.push(position);
            return target.at(position);
          };
        },
      });
      const sums = categoryTokens(
        { ...view, conversation: { ...view.conversation, sizes } },
        transcript.media,
      );
      expect(asked).toEqual([view.items.length - 2, view.items.length - 1]);
      const anew = sessionOf(index + 1);
      expect(sums).toEqual(categoryTokens(stepOf(anew, policy).view, anew.media));
    }
  });
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
    const none = replay(openTranscript({ codec: sessionCodec }).conversation, []).view.items;
    const shown = { ...view, conversation: anew.conversation, items: none.append(items) };
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

describe('shareOut', () => {
  it('adds up exactly, with no share a whole token off its weight', () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }));
    const weights = fc.record({ a: weight, b: weight, c: weight, d: weight });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), weights, (total, given) => {
        const shares = shareOut(total, given);
        const values = Object.values(shares);
        expect(values.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(values.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
        const sum = given.a + given.b + given.c + given.d;
        fc.pre(sum > 0);
        for (const key of ['a', 'b', 'c', 'd'] as const) {
          expect(Math.abs(shares[key] - (given[key] / sum) * total)).toBeLessThanOrEqual(1.001);
        }
      }),
    );
  });

  it('rounds the largest remainders up, and of equal ones the first', () => {
    expect(shareOut(10, { a: 1, b: 1, c: 1 })).toEqual({ a: 4, b: 3, c: 3 });
    expect(shareOut(10, { a: 1, b: 2, c: 4 })).toEqual({ a: 1, b: 3, c: 6 });
    expect(shareOut(0, { a: 1, b: 2 })).toEqual({ a: 0, b: 0 });
  });

  it('gives everything to the first where nothing has a weight', () => {
    expect(shareOut(7, { a: 0, b: 0 })).toEqual({ a: 7, b: 0 });
  });
});
