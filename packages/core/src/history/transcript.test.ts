import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { describe, expect, it } from 'vitest';
import { emptyState } from '../pass/state.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { policyOf, readyOf } from '../../test/chat-history.ts';
import { scriptAwareEstimator } from '../tokens/estimator.ts';
import { prepare } from '../context/prepare.ts';
import type { Estimator } from '../tokens/estimator.ts';

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

describe('a transcript that grew', () => {
  it.each<Estimator>([scriptAwareEstimator, { name: 'thirds', count: ({ length }) => length / 3 }])(
    'measures to the last digit what one measures that was opened anew: $name',
    (estimator) => {
      const asked = (index: number): readonly unknown[] => {
        const input = { path: `src/${index}.ts`, from: index, isWhole: true };
        const content = `${index} `.repeat(index * 9);
        return [
          { role: 'assistant', content: [{ type: 'tool_use', id: `c${index}`, name: 'read', input }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${index}`, content }] },
        ];
      };
      const messages = [
        { role: 'user', content: 'Look around.' },
        ...Array.from({ length: 80 }, (_, index) => asked(index)).flat(),
      ];
      const policy = policyOf(8_000, 'proactive-threshold');
      let grown = openTranscript({ codec: anthropicCodec, estimator });
      let state = emptyState();
      for (const [index, message] of messages.entries()) {
        grown = appendMessages(grown, [message]);
        const anew = openTranscript({ codec: anthropicCodec, estimator }, messages.slice(0, index + 1));
        const read = structuredClone(state);
        state = readyOf(prepare(grown, state, policy)).state;
        expect(readyOf(prepare(anew, read, policy)).state).toEqual(state);
      }
      expect(state.changes.length).toBeGreaterThan(0);
    },
  );
});
