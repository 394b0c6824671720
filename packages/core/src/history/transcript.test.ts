import { appendMessages, openTranscript } from './transcript.ts';
import { describe, expect, it } from 'vitest';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';

const call = { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };

describe('messages that are appended one by one', () => {
  it.each([
    ['right behind its call', []],
    ['behind a request that came in between', [{ role: 'user', content: 'And the tests?' }]],
    [
      'behind a system message and a request',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'And the tests?' },
      ],
    ],
  ])('are mended as in one list: a result without an id %s', (_, between) => {
    const messages: readonly unknown[] = [
      { role: 'user', content: 'Look around.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      ...between,
      { role: 'tool', content: 'src' },
    ];
    const empty = openTranscript({ codec: openaiChatCodec });
    const oneByOne = messages.reduce<typeof empty>(
      (transcript, message) => appendMessages(transcript, [message as never]),
      empty,
    );
    const atOnce = appendMessages(empty, messages as never);
    expect([...oneByOne.conversation.entries]).toEqual([...atOnce.conversation.entries]);
    expect(atOnce.conversation.entries.at(messages.length - 1)?.parts).toMatchObject([
      { type: 'result', callId: 'c1' },
    ]);
  });
});
