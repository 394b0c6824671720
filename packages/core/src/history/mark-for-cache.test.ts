import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { createStrategy } from '../strategies/create-strategy.ts';
import { emptyState } from '../pass/state.ts';
import { markForCache } from './mark-for-cache.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from './render-view.ts';
import type { RenderedMessage } from './render-view.ts';

const asSent = (messages: readonly unknown[]): RenderedMessage<unknown>[] =>
  messages.map((message, ordinal) => ({ source: 'entry', ordinal, isEdited: false, message }));

const marksIn = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;

/** The same request without its marks, a bare text and its block being the same thing. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, field]) =>
        key === 'content' && typeof field === 'string'
          ? [key, [{ type: 'text', text: field }]]
          : [key, withoutMarks(field)],
      ),
  );
}

const tools = [{ name: 'read' }, { name: 'write' }];
const user = { role: 'user', content: 'Fix it.' };

const turn = (index: number): unknown[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: `t${index}`, name: 'read', input: { path: `src/${index}.ts` } }],
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: 'export const a = 1;\n'.repeat(30) }],
  },
];

describe('markForCache', () => {
  it('marks the tools, the system text and the newest message', () => {
    const marked = markForCache({ system: 'Be brief.', tools, messages: asSent([user, ...turn(1)]) });
    expect(marked.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ]);
    expect(marked.tools).toEqual([tools[0], { name: 'write', cache_control: { type: 'ephemeral' } }]);
    expect(marksIn(marked.messages)).toBe(1);
    expect(marksIn(marked.messages.at(-1))).toBe(1);
    expect(marked.messages[0]).toBe(user);
  });

  it('marks the summary of a compacted history', () => {
    const policy = { strategy: createStrategy('digest'), budget: { windowTokens: 8_000 } };
    const history = [user, ...Array.from({ length: 120 }, (_, index) => turn(index)).flat()];
    const transcript = openTranscript({ codec: anthropicCodec }, history);
    const step = prepare(transcript, emptyState(), policy);
    if (step.type !== 'ready') throw new Error('expected a ready step');
    const { messages } = markForCache({
      system: 'Be brief.',
      tools,
      messages: renderView(transcript, step.view).messages,
    });
    expect(JSON.stringify(messages[1])).toContain('Compaction Round 1');
    expect(messages.map(marksIn).flatMap((marks, index) => (marks > 0 ? [index] : []))).toEqual([
      1,
      messages.length - 1,
    ]);
  });

  it('never exceeds four marks, leaves those of the client, and changes nothing else', () => {
    const block = fc.record(
      { type: fc.constant('text'), text: fc.string(), cache_control: fc.constant({ type: 'ephemeral' }) },
      { requiredKeys: ['type', 'text'] },
    );
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.oneof(fc.string(), fc.array(block, { maxLength: 3 })),
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 6 }),
        fc.oneof(fc.string(), fc.array(block)),
        (messages, system) => {
          const before = JSON.stringify({ messages, system });
          const marked = markForCache({ system, tools, messages: asSent(messages) });
          const found = marksIn(marked);
          expect(found).toBeLessThanOrEqual(Math.max(4, marksIn({ messages, system })));
          expect(found).toBeGreaterThanOrEqual(marksIn({ messages, system }));
          expect(withoutMarks({ content: marked.system, list: marked.messages })).toEqual(
            withoutMarks({
              content: typeof system === 'string' && system === '' ? '' : system,
              list: messages,
            }),
          );
          expect(JSON.stringify({ messages, system })).toBe(before);
        },
      ),
    );
  });

  it('puts no mark on thinking, which cannot carry one', () => {
    const thinking = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'thinking', thinking: 'b', signature: 'c' },
      ],
    };
    const { messages } = markForCache({ messages: asSent([user, thinking]) });
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }, thinking.content[1]],
    });
  });

  it('keeps the prefix byte for byte from step to step, marks aside, until the next pass', () => {
    const policy = { strategy: createStrategy('digest'), budget: { windowTokens: 8_000 } };
    let transcript = openTranscript({ codec: anthropicCodec }, [user]);
    let state = emptyState();
    let before: readonly unknown[] = [];
    let passes = 0;
    for (let index = 0; index < 200; index += 1) {
      transcript = appendMessages(transcript, turn(index));
      const step = prepare(transcript, state, policy);
      if (step.type !== 'ready') throw new Error('expected a ready step');
      state = step.state;
      const marked = markForCache({
        tools,
        messages: renderView(transcript, step.view).messages,
      }).messages.map(withoutMarks);
      const known = marked.slice(0, before.length).map((message) => JSON.stringify(message));
      if (step.checkpoint) passes += 1;
      else expect(known).toEqual(before.map((message) => JSON.stringify(message)));
      before = marked;
    }
    expect(passes).toBeGreaterThan(2);
  });
});
