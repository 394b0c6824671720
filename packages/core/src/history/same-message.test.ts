import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { openTranscript } from './transcript.ts';
import { reconcile, sameMessage } from './reconcile.ts';

const mark = { cache_control: { type: 'ephemeral' }, status: 'completed' };

describe('sameMessage', () => {
  it('leaves out marks on the message and on the blocks of its content', () => {
    const block = { type: 'text', text: 'a' };
    const marked = { role: 'user', content: [{ ...block, ...mark }], ...mark };
    expect(sameMessage({ role: 'user', content: [block] }, marked)).toBe(true);
  });

  const options = (more: object = {}): object => ({
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' }, ...more } },
  });
  const text = { type: 'text', text: 'a' };
  const said = (more: object): object => ({
    type: 'tool-result',
    toolCallId: 'c',
    toolName: 'x',
    output: { type: 'text', value: 'a', ...more },
  });
  const parted = (more: object): object => said({ type: 'content', value: [{ ...text, ...more }] });
  const answered = (content: unknown): object => ({ type: 'tool_result', tool_use_id: 'c', content });

  it.each<readonly [where: string, plain: object, marked: object]>([
    ['a message', { role: 'user', content: 'a' }, { role: 'user', content: 'a', ...options() }],
    ['a part', { content: [text] }, { content: [{ ...text, ...options() }] }],
    ['a system message', { role: 'system', content: 'a' }, { role: 'system', content: 'a', ...options() }],
    ['the output of a tool', { content: [said({})] }, { content: [said(options())] }],
    ['a part of the output of a tool', { content: [parted({})] }, { content: [parted(options())] }],
    [
      'a block of a result',
      { content: [answered([text])] },
      { content: [answered([{ ...text, ...mark, status: undefined }])] },
    ],
    ['the block of a bare text', { content: 'a' }, { content: [{ ...text, cache_control: {} }] }],
    [
      'a result that was a bare text',
      { content: [answered('a')] },
      { content: [answered([{ ...text, cache_control: {} }])] },
    ],
    [
      'options beside others',
      { ...text, providerOptions: { openai: { a: 1 } } },
      { ...text, providerOptions: { openai: { a: 1 }, anthropic: { cacheControl: {} } } },
    ],
    [
      'options with others',
      { ...text, providerOptions: { anthropic: { a: 1 } } },
      { ...text, ...options({ a: 1 }) },
    ],
    ['the other spelling', text, { ...text, providerOptions: { anthropic: { cache_control: {} } } }],
    ['Bedrock', text, { ...text, providerOptions: { bedrock: { cachePoint: { type: 'default' } } } }],
    [
      'metadata',
      { content: [text] },
      { content: [{ ...text, providerMetadata: { anthropic: { cacheControl: {} } } }] },
    ],
  ])('leaves out the marks of %s, set, moved or taken off', (_where, plain, marked) => {
    const other = JSON.parse(JSON.stringify(marked).replaceAll('ephemeral', 'persistent')) as object;
    expect([sameMessage(plain, marked), sameMessage(marked, plain), sameMessage(marked, other)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('sees other options of a provider, and options that are data', () => {
    const part = (more: object): object => ({ content: [{ ...text, ...more }] });
    expect(sameMessage(part(options({ a: 1 })), part(options({ a: 2 })))).toBe(false);
    expect(sameMessage(part({}), part(options({ a: 1 })))).toBe(false);
    const call = (more: object): object => ({ content: [{ type: 'tool-call', input: { ...more } }] });
    expect(sameMessage(call({}), call(options()))).toBe(false);
    expect(
      sameMessage(
        { content: [said({ type: 'json', value: {} })] },
        { content: [said({ type: 'json', value: options() })] },
      ),
    ).toBe(false);
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
