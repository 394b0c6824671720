import { describe, expect, it } from 'vitest';
import { convertMessages } from '../convert.ts';
import { openaiResponsesCodec } from '../openai-responses/openai-responses-codec.ts';
import { openaiAgentsCodec } from './openai-agents-codec.ts';
import type { Entry } from '../../transcript/entry.ts';

const decode = (item: unknown): Entry => openaiAgentsCodec.decode(item, 0);

describe('openaiAgentsCodec', () => {
  it.each([
    [{ role: 'user', content: 'hi' }, 'user', ['text']],
    [
      { type: 'message', role: 'user', content: [{ type: 'input_image', image: { id: 'file_1' } }] },
      'user',
      ['media'],
    ],
    [{ type: 'function_call', callId: 'a', name: 'read', arguments: '{}' }, 'assistant', ['call']],
    [{ type: 'function_call_result', callId: 'a', name: 'read', output: 'x' }, 'tool', ['result']],
    [{ type: 'shell_call', callId: 'a', action: { commands: ['ls'] } }, 'assistant', ['call']],
    [
      { type: 'computer_call_result', callId: 'a', output: { type: 'computer_screenshot', data: 'AA' } },
      'tool',
      ['result'],
    ],
    [{ type: 'tool_search_call', call_id: 'a', execution: 'server', arguments: {} }, 'assistant', ['call']],
    [{ type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call' }, 'assistant', ['call', 'result']],
    [{ type: 'reasoning', id: 'rs_1', content: [] }, 'assistant', ['reasoning']],
    [{ type: 'compaction', encrypted_content: 'x' }, 'assistant', ['opaque']],
    [{ type: 'unknown', providerData: {} }, 'assistant', ['opaque']],
  ])('reads %j', (item, role, types) => {
    const entry = decode(item);
    expect(entry.role).toBe(role);
    expect(entry.parts.map(({ type }) => type)).toEqual(types);
  });

  it('pairs by call id, and by the provider’s where the SDK has none', () => {
    expect(decode({ type: 'function_call', callId: 'a', id: 'fc_1', name: 'read' }).parts[0]).toMatchObject({
      callId: 'a',
    });
    expect(decode({ type: 'tool_search_output', call_id: 'b', tools: [] }).parts[0]).toMatchObject({
      callId: 'b',
    });
  });

  it('knows encrypted reasoning and that it needs what follows it', () => {
    const item = { type: 'reasoning', content: [], providerData: { encrypted_content: 'secret' } };
    expect(decode(item).parts[0]).toMatchObject({ opaqueLength: 6, binding: 'next-item' });
  });

  it('takes a provider’s compaction for a border', () => {
    expect(decode({ type: 'compaction', encrypted_content: 'x' }).parts[0]).toMatchObject({
      isBarrier: true,
    });
  });

  it.each([
    [{ type: 'text', text: 'one' }, ['one']],
    ['one', ['one']],
    [
      [
        { type: 'input_text', text: 'one' },
        { type: 'input_text', text: 'two' },
      ],
      ['one', 'two'],
    ],
    [{ type: 'image', image: { data: 'AAAA', mediaType: 'image/png' } }, ['image/png']],
    [{ type: 'file', file: { url: 'https://example.org/a.pdf', filename: 'a.pdf' } }, ['application/pdf']],
    [{ type: 'image', fileId: 'file_1' }, ['image/*']],
  ])('reads the output %j', (output, expected) => {
    const [part] = decode({ type: 'function_call_result', callId: 'a', name: 'x', output }).parts;
    const pieces = part?.type === 'result' ? part.pieces : [];
    const said = pieces.map((piece) =>
      piece.type === 'text' ? piece.text : piece.type === 'media' ? piece.mediaType : '',
    );
    expect(said).toEqual(expected);
  });

  it('counts bytes, and nothing for what is elsewhere', () => {
    const item = (image: unknown) => ({ role: 'user', content: [{ type: 'input_image', image }] });
    expect(decode(item('AAAA')).parts[0]).toMatchObject({ sizeBytes: 3 });
    expect(decode(item('data:image/png;base64,AAAA')).parts[0]).toMatchObject({
      sizeBytes: 3,
      mediaType: 'image/png',
    });
    expect(decode(item({ data: new Uint8Array(5) })).parts[0]).toMatchObject({ sizeBytes: 5 });
    expect(decode(item({ id: 'file_1' })).parts[0]).toMatchObject({ sizeBytes: 0 });
    const source = openaiAgentsCodec.neutral(decode(item({ data: new Uint8Array([0, 0, 0]) })));
    expect(source).toEqual([
      { type: 'media', mediaType: 'image/*', source: { type: 'base64', data: 'AAAA' } },
    ]);
  });

  it('says a conversation as the Responses API does, and back', () => {
    const items = [
      { type: 'message', role: 'user', content: 'go' },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'reading' }],
      },
      { type: 'function_call', callId: 'a', name: 'read', arguments: '{"path":"x"}', status: 'completed' },
      { type: 'function_call', callId: 'b', name: 'read', arguments: '{"path":"y"}', status: 'completed' },
      { type: 'function_call_result', callId: 'a', name: 'read', status: 'completed', output: '1' },
      { type: 'function_call_result', callId: 'b', name: 'read', status: 'completed', output: '2' },
    ];
    const there = convertMessages(
      items.map((item, at) => openaiAgentsCodec.decode(item, at)),
      openaiAgentsCodec,
      openaiResponsesCodec,
    );
    expect(there).toMatchObject({ losses: [] });
    const entries = there.messages.map((item, at) => openaiResponsesCodec.decode(item, at));
    expect(convertMessages(entries, openaiResponsesCodec, openaiAgentsCodec)).toEqual({
      messages: items,
      losses: [],
    });
  });

  it('says what it cannot say', () => {
    const media = { type: 'media', mediaType: 'audio/wav', source: { type: 'base64', data: 'AA' } } as const;
    for (const role of ['user', 'assistant', 'system'] as const) {
      const { messages, losses } = openaiAgentsCodec.compose({ role, kind: 'converted', parts: [media] });
      expect(JSON.stringify(messages)).toContain('[audio/wav]');
      expect(losses).toHaveLength(1);
    }
    const reasoning = { type: 'reasoning', text: 'hm' } as const;
    expect(
      openaiAgentsCodec.compose({ role: 'assistant', kind: 'converted', parts: [reasoning] }),
    ).toMatchObject({
      messages: [],
      losses: [{ path: 'parts[0]' }],
    });
  });
});
