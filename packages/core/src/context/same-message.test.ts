import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { openTranscript } from './transcript.ts';
import { reconcile } from './reconcile.ts';
import { sameMessage } from './same-message.ts';

const mark = { cache_control: { type: 'ephemeral' }, status: 'completed' };

describe('sameMessage', () => {
  it('leaves out marks on the message and on the blocks of its content', () => {
    const block = { type: 'text', text: 'a' };
    const marked = { role: 'user', content: [{ ...block, ...mark }], ...mark };
    expect(sameMessage({ role: 'user', content: [block] }, marked)).toBe(true);
  });

  it.each([
    ['the input of a call', (status: string) => [{ type: 'tool_use', id: 'a', input: { status } }]],
    ['a result', (status: string) => [{ type: 'tool-result', output: { type: 'json', value: { status } } }]],
    ['blocks of a result', (status: string) => [{ type: 'tool_result', content: [{ text: 'a', status }] }]],
    ['content that is data', (status: string) => ({ status })],
  ])('sees an edit of a key of that name in %s', (_where, content) => {
    expect(sameMessage({ content: content('open') }, { content: content('closed') })).toBe(false);
    expect(sameMessage({ content: content('open') }, { content: content('open') })).toBe(true);
  });

  it('sees an edit of such a key in the arguments of a function call', () => {
    const item = (status: string): object => ({
      tool_calls: [{ function: { arguments: { cache_control: status } } }],
    });
    expect(sameMessage(item('open'), item('closed'))).toBe(false);
  });

  it('follows a client that changes such an argument', () => {
    const history = (status: string): unknown[] => [
      { role: 'user', content: 'Close it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'set', input: { status } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    ];
    const transcript = openTranscript({ codec: anthropicCodec }, history('open'));
    const reconciled = reconcile(transcript, history('closed'));
    expect(reconciled.keptMessages).toBe(1);
    expect(JSON.stringify(reconciled.transcript.conversation.entries.at(1)?.wire)).toContain('closed');
  });

  it('says what JSON says of all other values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_key, member: unknown) =>
            typeof member === 'object' && member !== null && !Array.isArray(member)
              ? { record: Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)) }
              : member,
          );
        expect(sameMessage({ input: a }, { input: structuredClone(a) })).toBe(true);
        expect(sameMessage({ input: a }, { input: b })).toBe(sorted(a) === sorted(b));
      }),
    );
  });

  it.each([
    ['addresses', new URL('https://a/1'), new URL('https://a/2')],
    ['bytes', Uint8Array.from([1, 2]), Uint8Array.from([1, 3])],
    ['buffers of bytes', Uint8Array.from([1, 2]).buffer, Uint8Array.from([1, 3]).buffer],
  ])('tells %s apart that have no members of their own', (_what, one, other) => {
    const image = (value: unknown): object => ({ content: [{ type: 'image', image: value }] });
    expect(sameMessage(image(one), image(other))).toBe(false);
    expect(sameMessage(image(one), image(structuredClone(one instanceof URL ? one.href : one)))).toBe(true);
  });

  it('is not misled by names that every object inherits', () => {
    expect(sameMessage(JSON.parse('{"a":{"__proto__":{}}}'), { a: { b: {} } })).toBe(false);
    expect(sameMessage({ a: { toString: 1 } }, { a: { b: 1 } })).toBe(false);
  });

  it('compares at any depth, and circles', () => {
    const nested = (leaf: string): unknown => {
      let value: unknown = leaf;
      for (let depth = 0; depth < 20_000; depth += 1) value = { a: value };
      return { input: value };
    };
    expect(sameMessage(nested('a'), nested('a'))).toBe(true);
    expect(sameMessage(nested('a'), nested('b'))).toBe(false);
    const circle = (name: string): Record<string, unknown> => {
      const value: Record<string, unknown> = { name };
      value['self'] = value;
      return { input: value };
    };
    expect(sameMessage(circle('a'), circle('a'))).toBe(true);
    expect(sameMessage(circle('a'), circle('b'))).toBe(false);
  });
});
