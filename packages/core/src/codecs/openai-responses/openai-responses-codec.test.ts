import { describe, expect, it } from 'vitest';
import { editObject } from '../../json/edit-object.ts';
import type { ReasoningPart, ResultPart } from '../../transcript/entry.ts';
import { openaiResponsesCodec as codec } from './openai-responses-codec.ts';

const decode = (item: unknown): ReturnType<typeof codec.decode> => codec.decode(item, 4);

describe('openaiResponsesCodec.decode', () => {
  it('says who produced an item', () => {
    const roles = (...items: unknown[]): string[] => items.map((item) => decode(item).role);
    expect(
      roles(
        { role: 'user', content: 'hi' },
        { type: 'message', role: 'developer', content: [] },
        { type: 'reasoning', id: 'r', summary: [] },
        { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: '' },
        { type: 'future_thing' },
        { type: 'future_thing_output' },
        { type: 'mcp_approval_response' },
      ),
    ).toEqual(['user', 'system', 'assistant', 'assistant', 'tool', 'assistant', 'tool', 'tool']);
  });

  it('binds reasoning to the item that follows', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'a' },
        { type: 'summary_text', text: 'b' },
      ],
      encrypted_content: 'secret',
    };
    expect(decode(item)).toMatchObject({
      id: 'rs_1',
      parts: [{ type: 'reasoning', at: [], text: 'a\n\nb', opaqueLength: 6, binding: 'next-item' }],
    });
  });

  it('takes a provider’s call for call and result at once', () => {
    expect(
      decode({ type: 'mcp_call', id: 'm', name: 'x', arguments: '{}', output: 'y', error: null }).parts,
    ).toMatchObject([
      { type: 'call', callId: 'm', name: 'x', isProviderExecuted: true },
      {
        type: 'result',
        callId: 'm',
        isError: false,
        isProviderExecuted: true,
        pieces: [{ type: 'text', text: 'y' }],
      },
    ]);
    expect(decode({ type: 'web_search_call', id: 'w', action: {} }).parts).toMatchObject([
      { type: 'call', name: 'web_search', isProviderExecuted: true },
      { type: 'result', pieces: [] },
    ]);
  });

  it('takes a compaction item for a barrier and a reference for something opaque', () => {
    expect(decode({ type: 'compaction', encrypted_content: 'x' }).parts).toMatchObject([
      { type: 'opaque', isBarrier: true },
    ]);
    expect(decode({ type: 'item_reference', id: 'msg_1' }).parts).toMatchObject([{ type: 'opaque' }]);
    expect(decode({ id: 'msg_1' })).toMatchObject({ role: 'assistant', parts: [{ type: 'opaque' }] });
  });

  it('reads the outputs of a shell in both streams', () => {
    const output = [
      { stdout: 'a', stderr: '', outcome: {} },
      { stdout: 'b', stderr: 'c', outcome: {} },
    ];
    const entry = decode({ type: 'shell_call_output', call_id: 'a', output });
    const part = entry.parts[0] as ResultPart;
    expect(part.pieces).toMatchObject([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const edits = codec.edit(entry, [{ type: 'replace-result', part, text: 'short', keepMedia: false }]);
    expect(editObject(entry.wire, edits)).toMatchObject({
      output: [
        { stdout: 'short', stderr: '' },
        { stdout: '', stderr: '' },
      ],
    });
  });
});

describe('openaiResponsesCodec.edit', () => {
  it('removes the whole item when its reasoning goes', () => {
    const entry = decode({ type: 'reasoning', id: 'rs_1', summary: [] });
    const edits = codec.edit(entry, [{ type: 'drop-reasoning', part: entry.parts[0] as ReasoningPart }]);
    expect(edits).toEqual([{ at: [], remove: true }]);
    expect(editObject(entry.wire, edits)).toBeUndefined();
  });

  it('leaves a screenshot alone, which no text can replace', () => {
    const entry = decode({
      type: 'computer_call_output',
      call_id: 'a',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' },
    });
    const part = entry.parts[0] as ResultPart;
    expect(part.pieces).toMatchObject([{ type: 'media', sizeBytes: 3 }]);
    expect(codec.edit(entry, [{ type: 'replace-result', part, text: 'x', keepMedia: false }])).toEqual([]);
  });
});

describe('openaiResponsesCodec.compose', () => {
  it('makes an item of each text, call and result of an assistant', () => {
    const { messages } = codec.compose({
      role: 'assistant',
      kind: 'summary',
      parts: [
        { type: 'text', text: 'so far' },
        { type: 'call', callId: 'a', name: 'x', input: {} },
        { type: 'result', callId: 'a', name: 'x', content: [{ type: 'text', text: 'y' }], isError: false },
      ],
    });
    expect(messages).toEqual([
      { type: 'message', role: 'assistant', content: 'so far' },
      { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'y' },
    ]);
  });
});
