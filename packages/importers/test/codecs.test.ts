import { checkCodec, editObject, editText } from '@throughline/core/codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { opencodeCodec, piCodec, sweAgentCodec } from '../src/index.ts';
import { opencodeAnswer, opencodeTool, opencodeUser, piAnswer, piCall, piResult, piUser } from './samples.ts';
import type { Codec, Entry } from '@throughline/core';
import type { PartChange } from '@throughline/core/codec';

const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
const messages: Readonly<Record<string, readonly object[]>> = {
  pi: [
    piUser('Hi'),
    { role: 'user', content: 'plain' },
    piAnswer(
      { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'sig' },
      { type: 'text', text: 'A' },
      piCall('k1'),
    ),
    {
      ...piResult('k1'),
      content: [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }],
      isError: true,
    },
    { role: 'bashExecution', command: 'ls', output: 'a', timestamp: 1 },
    { role: 'compactionSummary', summary: 'S', tokensBefore: 1, timestamp: 1 },
    { role: 'custom', customType: 'x', content: [image], display: true },
  ],
  opencode: [
    opencodeUser(
      1,
      { type: 'text', text: 'Hi' },
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGVsbG8=' },
    ),
    opencodeAnswer(
      2,
      {},
      { type: 'reasoning', text: 'Hm.', metadata: { x: { signature: 's' } } },
      opencodeTool('c1', 'out'),
    ),
    opencodeAnswer(4, {}, opencodeTool('c2', '', { status: 'error', error: 'failed' }), {
      type: 'text',
      text: 'A',
    }),
  ],
  'swe-agent': [
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{"p":"x"}' } }],
    },
    { role: 'tool', content: 'out', tool_call_ids: ['a'] },
  ],
};

/** One change of every kind that a part allows. */
function changesOf({ parts }: Entry): PartChange[] {
  return parts.flatMap((part): PartChange[] => {
    switch (part.type) {
      case 'text':
        return [
          { type: 'replace-text', part, text: '"new"' },
          { type: 'drop-part', part },
        ];
      case 'reasoning':
        return [{ type: 'drop-reasoning', part }];
      case 'call':
        return [
          { type: 'rename-call', part, callId: 'other' },
          {
            type: 'replace-arguments',
            part,
            values: [
              { at: ['path'], text: 'p' },
              { at: ['filePath'], text: 'p' },
              { at: ['p'], text: 'p' },
            ],
          },
          { type: 'drop-part', part },
        ];
      case 'result':
        return [true, false].map(
          (keepMedia) => ({ type: 'replace-result', part, text: 'r', keepMedia }) as const,
        );
      case 'media':
        return [{ type: 'replace-media', part, text: '[image]' }];
      case 'opaque':
        return [];
    }
  });
}

describe.each([piCodec, opencodeCodec, sweAgentCodec])('the $name codec', (codec: Codec) => {
  const own = messages[codec.name];
  if (!own) throw new Error(`There are no messages for ${codec.name}.`);

  it('decodes any JSON value without failing or changing it', () => {
    const keys = [
      'role',
      'content',
      'type',
      'text',
      'parts',
      'info',
      'state',
      'status',
      'toolCallId',
      'arguments',
      'tool',
      'data',
    ];
    const words = [
      'user',
      'assistant',
      'toolResult',
      'text',
      'tool',
      'image',
      'thinking',
      'toolCall',
      'completed',
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...words, null, 1, true),
        tie('object'),
        tie('list'),
      ),
      object: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
      list: fc.array(tie('value'), { maxLength: 4 }),
    }));
    fc.assert(
      fc.property(value, (message) => {
        const before = JSON.stringify(message);
        const entry = codec.decode(message, 3);
        expect(entry.wire).toBe(message);
        expect(codec.decode(message, 3)).toEqual(entry);
        codec.neutral(entry);
        for (const change of changesOf(entry)) editObject(message, codec.edit(entry, [change]));
        expect(JSON.stringify(message)).toBe(before);
      }),
    );
  });

  it('keeps the promises of the contract', () => {
    // A tool part of OpenCode holds a call and its result, so a call alone is told as interrupted.
    const isOpencodes = (fault: string): boolean =>
      codec.name === 'opencode' && fault.includes('was interrupted');
    expect(checkCodec(codec, own).filter(({ fault }) => !isOpencodes(fault))).toEqual([]);
  });

  it('carries out every change that a part allows, in memory and in text alike', () => {
    for (const message of own) {
      const entry = codec.decode(message, 0);
      for (const change of changesOf(entry)) {
        const edits = codec.edit(entry, [change]);
        expect(edits.length, `${change.type} on ${JSON.stringify(change.part.at)}`).toBeGreaterThan(0);
        const edited = editObject(message, edits);
        expect(JSON.parse(editText(JSON.stringify(message, null, 1), edits) ?? '')).toEqual(
          JSON.parse(JSON.stringify(edited)),
        );
      }
    }
  });

  it('shows a replaced result, renamed call and replaced text when it reads the edited message', () => {
    for (const message of own) {
      const entry = codec.decode(message, 0);
      for (const change of changesOf(entry)) {
        const edited = codec.decode(editObject(message, codec.edit(entry, [change])), 0);
        const texts = JSON.stringify(edited.parts);
        if (change.type === 'replace-result') expect(texts).toContain('"text":"r"');
        if (change.type === 'replace-text') expect(texts).toContain('\\"new\\"');
        if (change.type === 'replace-media') expect(texts).toContain('[image]');
        if (change.type === 'rename-call') expect(texts).toContain('"callId":"other"');
        if (change.type === 'replace-arguments') expect(JSON.stringify(edited.parts)).toMatch(/"p"|\\"p\\"/);
      }
    }
  });

  it('composes messages that it reads back', () => {
    const parts = [
      { type: 'text', text: 'What was done.' },
      { type: 'call', callId: 'z1', name: 'read', input: { path: '/a' } },
    ] as const;
    const { messages: composed } = codec.compose({ role: 'assistant', parts, kind: 'converted' });
    const entries = composed.map((message, index) => codec.decode(message, index));
    expect(entries.map(({ role }) => role)).toEqual(['assistant']);
    expect(entries[0]?.parts.slice(0, 2)).toMatchObject([
      { type: 'text', text: 'What was done.' },
      { type: 'call', name: 'read' },
    ]);
  });
});
