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

describe('markForCache, piece by piece', () => {
  const own = { type: 'ephemeral' };
  const theirs = { type: 'ephemeral', ttl: '1h' };
  const text = (said: string, mark?: object | null): object => ({
    type: 'text',
    text: said,
    ...(mark !== undefined && { cache_control: mark }),
  });
  const said = (...content: readonly object[]): RenderedMessage<unknown> => ({
    source: 'entry',
    isEdited: false,
    message: { role: 'user', content },
  });
  const made = (source: 'written' | 'note', content: string): RenderedMessage<unknown> => ({
    source,
    isEdited: true,
    message: { role: 'user', content },
  });
  const hasOwn = (value: unknown): boolean => JSON.stringify(value ?? null).includes(JSON.stringify(own));
  const marked = (messages: readonly RenderedMessage<unknown>[]): readonly number[] =>
    markForCache({ messages }).messages.flatMap((message, index) => (hasOwn(message) ? [index] : []));

  it.each([
    [0, ['newest', 'system', 'tools', 'summary']],
    [1, ['newest', 'system', 'tools']],
    [2, ['newest', 'system']],
    [3, ['newest']],
    [4, []],
    [5, []],
  ])('spends what %i marks of the client leave on what is worth most, wherever they are', (count, places) => {
    const at = (number: number): object | undefined => (number < count ? theirs : undefined);
    const result = { type: 'tool_result', tool_use_id: 'a', content: [text('seen', at(0)), text('all')] };
    const request = {
      tools: [{ name: 'read', ...(at(1) && { cache_control: at(1) }) }, { name: 'write' }],
      system: [text('Be brief.', at(2)), text('Be kind.')],
      messages: [
        said(text('Go.', at(3)), text('Now.', at(4))),
        made('written', 'So far.'),
        said(result, text('ok')),
        said(text('And?')),
        made('note', 'The date.'),
      ],
    };
    const { tools: lastTools, system, messages } = markForCache(request);
    const found = {
      newest: messages[3],
      system,
      tools: lastTools,
      summary: messages[1],
      others: [messages[0], messages[2], messages[4]],
    };
    expect(Object.entries(found).flatMap(([place, value]) => (hasOwn(value) ? [place] : []))).toEqual(
      ['newest', 'system', 'tools', 'summary'].filter((place) => places.includes(place)),
    );
    expect(JSON.stringify([lastTools, system, messages]).split(JSON.stringify(theirs))).toHaveLength(
      count + 1,
    );
  });

  it('takes the lifetime that is asked for, and the one of the provider otherwise', () => {
    const request = { system: 'Be brief.', tools, messages: asSent([user]) };
    const lasting = JSON.stringify(markForCache(request, { lifetime: '1h' }));
    expect(lasting.split('"cache_control":{"type":"ephemeral","ttl":"1h"}')).toHaveLength(4);
    expect(lasting.split('"cache_control"')).toHaveLength(4);
    for (const options of [{}, { lifetime: '5m' }] as const)
      expect(JSON.stringify(markForCache(request, options))).not.toContain('ttl');
  });

  it('marks the first message of the newest summary, and none of what else was written', () => {
    const written = (content: string): RenderedMessage<unknown> => made('written', content);
    const newest = said(text('And?'));
    expect(marked([written('Mended.'), said(text('Go.')), written('So far.'), newest])).toEqual([2, 3]);
    expect(marked([said(text('Go.')), written('So far.'), written('I see.'), newest])).toEqual([1, 3]);
    expect(marked([said(text('Go.')), written('So far.')])).toEqual([1]);
    // One that is the newest message as well costs one mark.
    const { messages, tools: all } = markForCache({ tools, messages: [written('So far.')] });
    expect([hasOwn(messages[0]), hasOwn(all)]).toEqual([true, true]);
  });

  it.each([
    ['thinking', { type: 'thinking', thinking: 'hm', signature: 's' }],
    ['hidden thinking', { type: 'redacted_thinking', data: 'x' }],
    ['an empty text', text('')],
  ])('marks what stands before %s, and nothing where nothing does', (_, last) => {
    const { messages } = markForCache({ messages: [said(text('a'), text('b'), last)] });
    expect(messages).toEqual([{ role: 'user', content: [text('a'), text('b', own), last] }]);
    const alone = said(last);
    expect(markForCache({ messages: [alone] }).messages[0]).toBe(alone.message);
  });

  it('leaves a list whose end the client has marked as it is, and counts no mark that is none', () => {
    const ended = said(text('a'), text('b', theirs));
    const system = [text('Be brief.'), text('Be kind.', theirs)];
    const before = markForCache({ system, tools, messages: [ended] });
    expect(before.messages[0]).toBe(ended.message);
    expect(before.system).toBe(system);
    expect(hasOwn(before.tools)).toBe(true);
    const behind = [text('a'), text('b', theirs), { type: 'thinking', thinking: 'hm', signature: 's' }];
    expect(JSON.stringify(markForCache({ messages: [said(...behind)] }))).toContain(JSON.stringify(theirs));
    const none = said(...['a', 'b', 'c', 'd'].map((one) => text(one, null)));
    expect(markForCache({ messages: [none] }).messages).toEqual([
      { role: 'user', content: [...['a', 'b', 'c'].map((one) => text(one, null)), text('d', own)] },
    ]);
  });
});
