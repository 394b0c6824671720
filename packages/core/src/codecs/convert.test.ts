import { describe, expect, it } from 'vitest';
import { aiSdkCodec } from './ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from './anthropic/anthropic-codec.ts';
import type { Codec } from './codec.ts';
import type { Conversion } from './convert.ts';
import { convertMessages } from './convert.ts';
import { openaiChatCodec } from './openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from './openai-responses/openai-responses-codec.ts';
import { sessionCodec } from './session/session-codec.ts';

function convert(messages: readonly unknown[], from: Codec, to: Codec): Conversion {
  return convertMessages(
    messages.map((message, index) => from.decode(message, index)),
    from,
    to,
  );
}

const chat = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: 'reading',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } },
      { id: 'b', type: 'function', function: { name: 'read', arguments: '{"path":"y"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: '1' },
  { role: 'tool', tool_call_id: 'b', content: '2' },
  { role: 'assistant', content: 'done' },
];

const anthropic = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'reading' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } },
      { type: 'tool_use', id: 'b', name: 'read', input: { path: 'y' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: '1' },
      { type: 'tool_result', tool_use_id: 'b', content: '2' },
    ],
  },
  { role: 'assistant', content: 'done' },
];

const responses = [
  { type: 'message', role: 'user', content: 'go' },
  { type: 'message', role: 'assistant', content: 'reading' },
  { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"x"}' },
  { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"path":"y"}' },
  { type: 'function_call_output', call_id: 'a', output: '1' },
  { type: 'function_call_output', call_id: 'b', output: '2' },
  { type: 'message', role: 'assistant', content: 'done' },
];

const result = (toolCallId: string, value: string): unknown => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output: { type: 'text', value },
});
const aiSdk = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'reading' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } },
      { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: { path: 'y' } },
    ],
  },
  { role: 'tool', content: [result('a', '1'), result('b', '2')] },
  { role: 'assistant', content: 'done' },
];

const forms: readonly [string, Codec, readonly unknown[]][] = [
  ['openai-chat', openaiChatCodec, chat],
  ['anthropic', anthropicCodec, anthropic],
  ['openai-responses', openaiResponsesCodec, responses],
  ['ai-sdk', aiSdkCodec, aiSdk],
];

describe('convertMessages', () => {
  const pairs = forms.flatMap(([fromName, from, messages]) =>
    forms.map(([toName, to, expected]) => ({ fromName, toName, from, to, messages, expected })),
  );

  it.each(pairs)('says a parallel tool call of $fromName in $toName', ({ from, to, messages, expected }) => {
    expect(convert(messages, from, to)).toEqual({ messages: expected, losses: [] });
  });

  it.each(forms)('comes back the same from a stored session: %s', (_name, codec, messages) => {
    const stored = convert(messages, codec, sessionCodec);
    expect(convert(stored.messages, sessionCodec, codec).messages).toEqual(messages);
  });

  it('hands a user’s text over after the results it came with', () => {
    const messages = [
      anthropic[1],
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: '2' },
          { type: 'text', text: 'hurry' },
        ],
      },
    ];
    expect(convert(messages, anthropicCodec, openaiChatCodec).messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'user', content: 'hurry' },
    ]);
  });

  it('lists what cannot cross, by message and part', () => {
    const { messages, losses } = convert(
      [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'compaction', content: 'x' },
            { type: 'text', text: 'a' },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x', is_error: true }] },
      ],
      anthropicCodec,
      openaiChatCodec,
    );
    expect(messages).toEqual([
      { role: 'assistant', content: 'a' },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]);
    expect(losses.map(({ path }) => path)).toEqual([
      'messages[0].parts[0]',
      'messages[0].parts[1]',
      'messages[0].parts[0]',
      'messages[1].parts[0]',
    ]);
  });

  it('joins 100 000 results in linear time', () => {
    const messages = Array.from({ length: 100_000 }, () => chat[2]);
    expect(convert(messages, openaiChatCodec, anthropicCodec).messages).toHaveLength(1);
  });
});
