import { describe, expect, it } from 'vitest';
import type { Composed, NeutralPart, Synthetic } from '../codec.ts';
import { convertMessages } from '../convert.ts';
import { openaiChatCodec } from '../openai-chat/openai-chat-codec.ts';
import { aiSdkPromptCodec } from './ai-sdk-prompt-codec.ts';

const compose = (synthetic: Synthetic): Composed<unknown> => aiSdkPromptCodec.compose(synthetic);
const image = (source: object): NeutralPart =>
  ({ type: 'media', mediaType: 'image/png', source }) as Extract<NeutralPart, { type: 'media' }>;
const base64 = { type: 'base64', data: 'AAAA' };
const item = (role: Synthetic['role'], ...parts: NeutralPart[]): Synthetic => ({
  role,
  kind: 'converted',
  parts,
});

describe('aiSdkPromptCodec', () => {
  it('writes lists of parts, and marks what the engine wrote', () => {
    const summary = compose({
      role: 'assistant',
      kind: 'summary',
      parts: [{ type: 'text', text: 'so far' }],
    });
    expect(summary.messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'so far' }],
        providerOptions: { throughline: { kind: 'summary' } },
      },
    ]);
    expect(compose(item('system', { type: 'text', text: 'be careful' })).messages).toEqual([
      { role: 'system', content: 'be careful' },
    ]);
  });

  it('writes media as tagged files, in results too', () => {
    const file = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' };
    expect(compose(item('user', { type: 'text', text: 'look' }, image(base64))).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'look' }, file] },
    ]);
    const result: NeutralPart = {
      type: 'result',
      callId: 'a',
      name: 'shot',
      isError: false,
      content: [{ type: 'text', text: 'here' }, image(base64) as never],
    };
    expect(compose(item('tool', result)).messages).toEqual([
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'shot',
            output: { type: 'content', value: [{ type: 'text', text: 'here' }, file] },
          },
        ],
      },
    ]);
  });

  it('says that media at a URL is lost', () => {
    const { messages, losses } = compose(
      item('user', image({ type: 'url', url: 'https://example.org/a.png' })),
    );
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: '[image/png]' }] }]);
    expect(losses).toEqual([{ path: 'parts[0]', reason: 'media at a URL cannot be written into a prompt' }]);
  });

  it('is what the other formats can be said in', () => {
    const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } };
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const entries = messages.map((message, ordinal) => openaiChatCodec.decode(message, ordinal));
    const there = convertMessages(entries, openaiChatCodec, aiSdkPromptCodec).messages;
    const back = there.map((message, ordinal) => aiSdkPromptCodec.decode(message, ordinal));
    expect(convertMessages(back, aiSdkPromptCodec, openaiChatCodec)).toEqual({ messages, losses: [] });
  });
});
