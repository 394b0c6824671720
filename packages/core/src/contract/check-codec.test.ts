import { describe, expect, it } from 'vitest';
import type { Codec } from '../codecs/codec.ts';
import { openaiChatCodec as sound } from '../codecs/openai-chat/openai-chat-codec.ts';
import { isObject } from '../json/json.ts';
import { jsonText, parseText } from '../transcript/entry-text.ts';
import type { Entry, Part } from '../transcript/entry.ts';
import { checkCodec } from './check-codec.ts';

const messages = [
  { role: 'user', content: 'What is in a.ts?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path": "a.ts"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'export {};' },
];

const withParts = (change: (parts: readonly Part[]) => readonly Part[]): Codec => ({
  ...sound,
  decode: (message, ordinal) => {
    const entry = sound.decode(message, ordinal);
    return { ...entry, parts: change(entry.parts) };
  },
});

let ids = 0;

const broken: readonly [what: string, law: string, codec: Codec][] = [
  [
    'copies the message',
    'decode',
    {
      ...sound,
      decode: (message, ordinal) => ({
        ...sound.decode(message, ordinal),
        wire: isObject(message) ? { ...message } : message,
      }),
    },
  ],
  ['points nowhere', 'places', withParts((parts) => parts.map((part) => ({ ...part, at: ['nowhere'] })))],
  ['carries out no change', 'edit', { ...sound, edit: () => [] }],
  [
    'does something else than it was asked',
    'edit',
    {
      ...sound,
      edit: (entry, changes) => (changes.length === 0 ? [] : [{ at: ['content'], set: 'something else' }]),
    },
  ],
  [
    'gives edits that overlap',
    'overlap',
    {
      ...sound,
      edit: (entry, changes) => {
        const edits = sound.edit(entry, changes);
        return [...edits, ...edits];
      },
    },
  ],
  [
    'cannot bear a message without content',
    'hostile',
    {
      ...sound,
      decode: (message, ordinal) => {
        if (isObject(message) && message['content'] === null) throw new TypeError('content is null');
        return sound.decode(message, ordinal);
      },
    },
  ],
  [
    'writes other words',
    'compose',
    { ...sound, compose: (item) => sound.compose({ ...item, parts: [{ type: 'text', text: '?' }] }) },
  ],
  [
    'loses without a word',
    'compose',
    { ...sound, compose: (item) => ({ ...sound.compose(item), losses: [] }) },
  ],
  [
    'claims rules that its own messages break',
    'conversation',
    { ...sound, rules: { ...sound.rules, callIdPattern: /^call_/ } },
  ],
  ['says nothing in neutral form', 'compose', { ...sound, neutral: () => [] }],
  [
    'gives another id each time',
    'decode',
    {
      ...sound,
      decode: (message, ordinal) => ({
        ...sound.decode(message, ordinal),
        id: `${(ids += 1)}` as Entry['id'],
      }),
    },
  ],
  [
    'leaves out what lies at an address',
    'compose',
    {
      ...sound,
      compose: (item) =>
        sound.compose({
          ...item,
          parts: item.parts.filter((part) => part.type !== 'media' || part.source.type !== 'url'),
        }),
    },
  ],
  [
    'writes images where its rules allow none',
    'conversation',
    { ...sound, rules: { ...sound.rules, mediaIn: { user: false, assistant: false, result: false } } },
  ],
  [
    'cannot write deep arguments',
    'compose',
    {
      ...sound,
      compose: (item) => {
        JSON.stringify(item.parts);
        return sound.compose(item);
      },
    },
  ],
  [
    'leaves deep arguments out',
    'compose',
    {
      ...sound,
      compose: (item) =>
        sound.compose({
          ...item,
          parts: item.parts.map((part) =>
            part.type === 'call' ? { ...part, input: parseText(jsonText(part.input)) } : part,
          ),
        }),
    },
  ],
];

describe('checkCodec', () => {
  it('finds no fault in a codec that keeps its promises', () => {
    expect(checkCodec(sound, messages)).toEqual([]);
  });

  it.each(broken)('finds a codec that %s by the law "%s"', (_what, law, codec) => {
    expect(checkCodec(codec, messages).map((fault) => fault.law)).toContain(law);
  });

  it('says what the samples do not show', () => {
    expect(checkCodec(sound, messages.slice(0, 1)).map(({ law, fault }) => [law, fault])).toEqual([
      ['samples', 'no message has a part of type call'],
      ['samples', 'no message has a part of type result'],
    ]);
  });

  it('takes a change that the format has no words for as told', () => {
    const legacy = [...messages, { role: 'assistant', function_call: { name: 'read', arguments: '{}' } }];
    expect(checkCodec(sound, legacy)).toMatchObject([
      { law: 'edit', message: 3, fault: 'rename-call gave no edits' },
      { law: 'edit', message: 3, fault: 'rename-call gave no edits' },
    ]);
    const cannot = { cannot: ({ type }: { readonly type: string }) => type === 'rename-call' };
    expect(checkCodec(sound, legacy, cannot)).toEqual([]);
  });
});
