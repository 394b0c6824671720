import { describe, expect, it } from 'vitest';
import { editObject } from '../../json/edit-object.ts';
import type { CallPart, MediaPart, Part, ResultPart, TextPart } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { openaiChatCodec as codec } from './openai-chat-codec.ts';

const decode = (message: unknown): readonly Part[] => codec.decode(message, 0).parts;

function change(message: unknown, make: (parts: readonly Part[]) => readonly PartChange[]): unknown {
  const entry = codec.decode(message, 0);
  return editObject(message, codec.edit(entry, make(entry.parts)));
}

describe('openaiChatCodec.decode', () => {
  it('reads texts, images and files of a user message', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAAAA==', format: 'mp3' } },
      { type: 'file', file: { file_id: 'file-1', filename: 'a.pdf' } },
    ];
    expect(decode({ role: 'user', content })).toEqual([
      { type: 'text', at: ['content', 0], text: 'look' },
      { type: 'media', at: ['content', 1], mediaType: 'image/jpeg', sizeBytes: 3, detail: 'low' },
      { type: 'media', at: ['content', 2], mediaType: 'image/*', sizeBytes: 0 },
      { type: 'media', at: ['content', 3], mediaType: 'audio/mp3', sizeBytes: 4 },
      { type: 'media', at: ['content', 4], mediaType: 'application/pdf', sizeBytes: 0, filename: 'a.pdf' },
    ]);
  });

  it('reads function calls as JSON text and custom calls as a value', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } },
      { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
    ];
    expect(decode({ role: 'assistant', content: null, tool_calls: calls })).toEqual([
      {
        type: 'call',
        at: ['tool_calls', 0],
        callId: 'a',
        name: 'read',
        input: { type: 'text', text: '{"path":"x"}', at: ['tool_calls', 0, 'function', 'arguments'] },
      },
      {
        type: 'call',
        at: ['tool_calls', 1],
        callId: 'b',
        name: 'patch',
        input: { type: 'value', value: '*** Begin', at: ['tool_calls', 1, 'custom', 'input'] },
      },
    ]);
  });

  it('pairs the legacy function form by name', () => {
    const call = decode({ role: 'assistant', function_call: { name: 'read', arguments: '{}' } });
    const result = codec.decode({ role: 'function', name: 'read', content: 'ok' }, 1);
    expect(call).toMatchObject([{ type: 'call', callId: 'read' }]);
    expect(result).toMatchObject({ role: 'tool', parts: [{ type: 'result', callId: 'read', name: 'read' }] });
  });

  it('reads reasoning before the text and knows what is signed', () => {
    const message = {
      role: 'assistant',
      content: 'answer',
      reasoning_content: 'hm',
      reasoning_details: [
        { type: 'reasoning.text', text: 'a', signature: 'sig' },
        { type: 'reasoning.encrypted', data: 'secret' },
      ],
    };
    expect(decode(message)).toMatchObject([
      { type: 'reasoning', text: 'hm', opaqueLength: 0 },
      { type: 'reasoning', text: 'a', opaqueLength: 3, binding: 'content' },
      { type: 'reasoning', text: '', opaqueLength: 6, binding: 'content' },
      { type: 'text', text: 'answer' },
    ]);
    expect(decode(message)[0]).not.toHaveProperty('binding');
  });

  it('takes developer messages for system messages', () => {
    expect(codec.decode({ role: 'developer', content: 'rules' }, 0).role).toBe('system');
  });

  it('finds no part in empty content, but an empty piece in an empty result', () => {
    expect(decode({ role: 'user', content: '' })).toEqual([]);
    expect(decode({ role: 'tool', tool_call_id: 'a', content: '' })).toMatchObject([
      { pieces: [{ text: '' }] },
    ]);
  });
});

describe('openaiChatCodec.edit', () => {
  const call = (text: string): unknown => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'write', arguments: text } }],
  });

  it('replaces values inside arguments and keeps the rest of the JSON text as it is', () => {
    const values = [{ at: ['content'], text: '[cleared "x"]' }];
    const edited = change(call('{ "path" : "a", "n": 1.0, "content": "long" }'), ([part]) => [
      { type: 'replace-arguments', part: part as CallPart, values },
    ]);
    expect(edited).toEqual(call('{ "path" : "a", "n": 1.0, "content": "[cleared \\"x\\"]" }'));
  });

  it('puts an object in the place of arguments that do not parse', () => {
    const values = [{ at: [], text: '[cleared]' }];
    expect(
      change(call('{"content": "cut off'), ([part]) => [
        { type: 'replace-arguments', part: part as CallPart, values },
      ]),
    ).toEqual(call('{"input":"[cleared]"}'));
  });

  it('takes the members that a text stands for out of a list or an object', () => {
    const values = [
      { at: ['list', 1], text: 'x', more: 1 },
      { at: ['b'], text: 'y', more: 5 },
    ];
    expect(
      change(call('{ "list" : [1.0, 2, 3, 4.0], "a": 1, "b": 2, "c": 3 }'), ([part]) => [
        { type: 'replace-arguments', part: part as CallPart, values },
      ]),
    ).toEqual(call('{ "list" : [1.0, "x", 4.0], "a": 1, "b": "y" }'));
  });

  it('leaves places alone in arguments that do not parse', () => {
    const message = call('{"content": "cut off');
    const values = [{ at: ['content'], text: 'x' }];
    expect(change(message, ([part]) => [{ type: 'replace-arguments', part: part as CallPart, values }])).toBe(
      message,
    );
  });

  it('removes an emptied list of calls altogether', () => {
    const message = {
      role: 'assistant',
      content: 'text',
      tool_calls: [{ id: 'a', function: { name: 'x' } }],
    };
    expect(change(message, (parts) => [{ type: 'drop-part', part: parts[1] as CallPart }])).toEqual({
      role: 'assistant',
      content: 'text',
    });
  });

  it('writes null where the text of a message with calls goes', () => {
    const message = {
      role: 'assistant',
      content: 'text',
      tool_calls: [{ id: 'a', function: { name: 'x' } }],
    };
    expect(change(message, (parts) => [{ type: 'drop-part', part: parts[0] as TextPart }])).toMatchObject({
      content: null,
    });
  });

  it('lets a pruned result win over the media that was dropped from it', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'https://example.org' } },
    ];
    const edited = change({ role: 'tool', tool_call_id: 'a', content }, ([part]) => {
      const result = part as ResultPart;
      return [
        { type: 'replace-media', part: result.pieces[1] as MediaPart, text: 'image' },
        { type: 'replace-result', part: result, text: 'cleared', keepMedia: false },
        { type: 'replace-media', part: result.pieces[1] as MediaPart, text: 'image' },
      ];
    });
    expect(edited).toMatchObject({ content: [{ type: 'text', text: 'cleared' }] });
  });

  it('keeps the cache mark of a replaced image', () => {
    const image = { type: 'image_url', image_url: { url: 'x' }, cache_control: { type: 'ephemeral' } };
    const edited = change({ role: 'user', content: [image] }, ([part]) => [
      { type: 'replace-media', part: part as MediaPart, text: '[image]' },
    ]);
    expect(edited).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '[image]', cache_control: { type: 'ephemeral' } }],
    });
  });
});

describe('openaiChatCodec.compose', () => {
  it('spreads results over tool messages and says the rest after them', () => {
    const { messages, losses } = codec.compose({
      role: 'user',
      kind: 'converted',
      parts: [
        { type: 'text', text: 'go on' },
        { type: 'result', callId: 'a', name: 'x', content: [{ type: 'text', text: '1' }], isError: false },
        { type: 'result', callId: 'b', name: 'x', content: [], isError: true },
      ],
    });
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'user', content: 'go on' },
    ]);
    expect(losses).toEqual([{ path: 'parts[2]', reason: 'results have no error flag here' }]);
  });

  it('says text and calls of an assistant in one message and names what it leaves out', () => {
    const { messages, losses } = codec.compose({
      role: 'assistant',
      kind: 'converted',
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'reading' },
        { type: 'call', callId: 'a', name: 'read', input: { path: 'x' } },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'reading',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
      },
    ]);
    expect(losses).toEqual([{ path: 'parts[0]', reason: 'reasoning is not sent back' }]);
  });
});
