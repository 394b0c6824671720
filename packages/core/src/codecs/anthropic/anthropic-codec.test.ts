import { describe, expect, it } from 'vitest';
import { editObject, editText } from '../../json/edit-object.ts';
import { anthropicCodec as codec } from './anthropic-codec.ts';
import type { MediaPart, Part, ResultPart } from '../../transcript/entry.ts';

const decode = (message: unknown): readonly Part[] => codec.decode(message, 0).parts;
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe('anthropicCodec.decode', () => {
  it('knows what thinking is bound to', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
    ];
    expect(decode({ role: 'assistant', content })).toEqual([
      { type: 'reasoning', at: ['content', 0], text: 'hm', opaqueLength: 3, binding: 'content' },
      { type: 'reasoning', at: ['content', 1], text: '', opaqueLength: 6, binding: 'content' },
      { type: 'reasoning', at: ['content', 2], text: 'unsigned', opaqueLength: 0 },
    ]);
  });

  it('takes server tools for pairs that the provider executed', () => {
    const content = [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ encrypted_content: 'x' }] },
      { type: 'mcp_tool_use', id: 'm1', name: 'x', input: {}, server_name: 's' },
      { type: 'mcp_tool_result', tool_use_id: 'm1', content: [{ type: 'text', text: 'y' }], is_error: true },
    ];
    expect(decode({ role: 'assistant', content })).toMatchObject([
      { type: 'call', callId: 's1', isProviderExecuted: true },
      { type: 'result', callId: 's1', isProviderExecuted: true, pieces: [{ type: 'opaque' }] },
      { type: 'call', callId: 'm1', isProviderExecuted: true },
      {
        type: 'result',
        callId: 'm1',
        isProviderExecuted: true,
        isError: true,
        pieces: [{ type: 'text', text: 'y' }],
      },
    ]);
  });

  it('takes a compaction block for a barrier', () => {
    expect(
      decode({ role: 'assistant', content: [{ type: 'compaction', content: 'summary' }] }),
    ).toMatchObject([{ type: 'opaque', isBarrier: true }]);
  });

  it('sees images inside results', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'shot' }, png] };
    expect(decode({ role: 'user', content: [result, { type: 'text', text: 'and?' }] })).toMatchObject([
      {
        type: 'result',
        callId: 'a',
        pieces: [{ type: 'text' }, { type: 'media', at: ['content', 0, 'content', 1], sizeBytes: 3 }],
      },
      { type: 'text', text: 'and?' },
    ]);
  });
});

describe('anthropicCodec.edit', () => {
  const message = {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        is_error: true,
        content: [
          { type: 'text', text: 'one', cache_control: { type: 'ephemeral' } },
          png,
          { type: 'text', text: 'two' },
        ],
        x: 1,
      },
      { type: 'text', text: 'and?' },
    ],
  };
  const entry = codec.decode(message, 0);
  const result = entry.parts[0] as ResultPart;

  it('shortens a result and keeps its media, its flags and its neighbours', () => {
    const edits = codec.edit(entry, [
      { type: 'replace-result', part: result, text: 'short', keepMedia: true },
    ]);
    const edited = editObject(message, edits) as typeof message;
    expect(edited.content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: true,
      content: [{ type: 'text', text: 'short', cache_control: { type: 'ephemeral' } }, png],
      x: 1,
    });
    expect(edited.content[0]!.content![1]).toBe(png);
    expect(edited.content[1]).toBe(message.content[1]);
  });

  it('drops one image of a result together with the change of its text', () => {
    const image = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [png, png] }] };
    const decoded = codec.decode(image, 0);
    const part = decoded.parts[0] as ResultPart;
    const edits = codec.edit(decoded, [
      { type: 'replace-result', part, text: 'short', keepMedia: true },
      { type: 'replace-media', part: part.pieces[1] as MediaPart, text: '[image]' },
    ]);
    expect(editObject(image, edits)).toMatchObject({
      content: [{ content: [{ type: 'text', text: 'short' }, png, { type: 'text', text: '[image]' }] }],
    });
  });

  it('gives a result without content a text', () => {
    const text = '{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a"}]}';
    const decoded = codec.decode(JSON.parse(text), 0);
    const part = decoded.parts[0] as ResultPart;
    const edits = codec.edit(decoded, [{ type: 'replace-result', part, text: 'x', keepMedia: false }]);
    expect(editText(text, edits)).toBe(
      '{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a","content":"x"}]}',
    );
  });

  it('does not rewrite the result of a server tool', () => {
    const block = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: 'x' }] };
    const decoded = codec.decode({ role: 'assistant', content: [block] }, 0);
    const part = decoded.parts[0] as ResultPart;
    expect(codec.edit(decoded, [{ type: 'replace-result', part, text: 'x', keepMedia: false }])).toEqual([]);
  });
});

describe('anthropicCodec.compose', () => {
  it('puts results before text in one user message', () => {
    const { messages } = codec.compose({
      role: 'user',
      kind: 'converted',
      parts: [
        { type: 'text', text: 'go on' },
        { type: 'text', text: '' },
        {
          type: 'result',
          callId: 'call|1',
          name: 'x',
          content: [{ type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } }],
          isError: true,
        },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [png], is_error: true },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  it('splits an assistant message at a result of its own', () => {
    const { messages } = codec.compose({
      role: 'assistant',
      kind: 'converted',
      parts: [
        { type: 'call', callId: 'a', name: 'x', input: 'raw' },
        { type: 'result', callId: 'a', name: 'x', content: [], isError: false },
        { type: 'text', text: 'done' },
      ],
    });
    expect(messages).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: { input: 'raw' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '' }] },
      { role: 'assistant', content: 'done' },
    ]);
  });
});
