import { describe, expect, it } from 'vitest';
import { editObject } from '../../json/edit-object.ts';
import type { TextPart } from '../../transcript/entry.ts';
import type { NeutralPart } from '../codec.ts';
import { sessionCodec as codec } from './session-codec.ts';

const parts: readonly NeutralPart[] = [
  { type: 'text', text: 'a' },
  { type: 'reasoning', text: 'b' },
  { type: 'call', callId: 'c', name: 'x', input: { p: 1 } },
  {
    type: 'result',
    callId: 'c',
    name: 'x',
    content: [
      { type: 'text', text: 'd' },
      { type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } },
    ],
    isError: true,
  },
  {
    type: 'media',
    mediaType: 'application/pdf',
    source: { type: 'url', url: 'https://example.org' },
    filename: 'f',
  },
];

describe('sessionCodec', () => {
  it('says everything that is neutral and reads it back', () => {
    const { messages, losses } = codec.compose({ role: 'assistant', kind: 'converted', parts });
    expect(losses).toEqual([]);
    const entries = messages.map((message, ordinal) => codec.decode(message, ordinal));
    expect(entries.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    expect(entries.flatMap((entry) => codec.neutral(entry))).toEqual(parts);
  });

  it('says the results that a user message of another format holds in a tool message', () => {
    const [text, , , result] = parts as [NeutralPart, NeutralPart, NeutralPart, NeutralPart];
    const { messages } = codec.compose({ role: 'user', kind: 'converted', parts: [result, text] });
    expect(messages).toEqual([
      { id: '', role: 'tool', parts: [result] },
      { id: '', role: 'user', parts: [text] },
    ]);
  });

  it('notes in the metadata what the engine wrote', () => {
    const { messages } = codec.compose({
      role: 'assistant',
      kind: 'summary',
      parts: [{ type: 'text', text: 'a' }],
    });
    expect(messages).toEqual([
      { id: '', role: 'assistant', parts: [{ type: 'text', text: 'a' }], meta: { kind: 'summary' } },
    ]);
  });

  it('uses the message’s own id and what it states about bindings', () => {
    const entry = codec.decode(
      {
        id: 's1',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: '', signature: 'sig' },
          { type: 'reasoning', text: '', signature: 'sig', binding: 'prefix' },
          { type: 'opaque', value: { type: 'compaction' }, isBarrier: true },
        ],
      },
      3,
    );
    expect(entry).toMatchObject({
      id: 's1',
      parts: [
        { binding: 'content', opaqueLength: 3 },
        { binding: 'prefix' },
        { type: 'opaque', isBarrier: true },
      ],
    });
    expect(codec.decode({ role: 'user', parts: [] }, 3).id).toBe('m3');
  });

  it('keeps usage, metadata and unknown fields in an edited message', () => {
    const message = {
      id: 'a',
      role: 'user',
      usage: { inputTokens: 1 },
      meta: { x: 1 },
      y: 2,
      parts: [parts[0]],
    };
    const entry = codec.decode(message, 0);
    const edits = codec.edit(entry, [{ type: 'replace-text', part: entry.parts[0] as TextPart, text: 'b' }]);
    expect(editObject(message, edits)).toEqual({ ...message, parts: [{ type: 'text', text: 'b' }] });
  });
});
