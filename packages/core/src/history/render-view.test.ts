import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { createStrategy } from '../strategies/create-strategy.ts';
import { emptyState } from '../pass/state.ts';
import { canBeSent, everyday, historyArbitrary } from '@throughline/testkit';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from './render-view.ts';
import type { Codec } from '../codecs/codec.ts';

const codecs = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
} as const satisfies Record<string, Codec>;
const formats = Object.keys(codecs) as (keyof typeof codecs)[];

describe('renderView', () => {
  it.each(formats)('gives what it gives from scratch when a history grows step by step (%s)', (format) => {
    const histories = fc.oneof(
      historyArbitrary({ format, hostility: 'none', size: 5 }),
      historyArbitrary({ format, hostility: 'some', size: 5 }),
    );
    const windows = fc.constantFrom(4_000, 16_000, 1_000_000);
    fc.assert(
      fc.property(histories, windows, fc.integer({ min: 1, max: 4 }), (messages, windowTokens, chunk) => {
        const policy = { strategy: createStrategy('digest'), budget: { windowTokens } };
        const codec: Codec = codecs[format];
        let grown = openTranscript({ codec });
        let state = emptyState();
        for (let end = chunk; end < messages.length + chunk; end += chunk) {
          grown = appendMessages(grown, messages.slice(end - chunk, end));
          const fresh = openTranscript({ codec }, messages.slice(0, end));
          if (!canBeSent(fresh)) continue;
          const step = prepare(grown, state, policy);
          if (step.type !== 'ready') return;
          const before = state;
          state = step.state;
          const anew = prepare(fresh, before, policy);
          if (anew.type !== 'ready') throw new Error('only one of them fits');
          for (const ending of ['open', 'send'] as const) {
            const { messages: stepwise } = renderView(grown, step.view, { ending });
            expect(stepwise).toEqual(renderView(fresh, anew.view, { ending }).messages);
          }
        }
      }),
      { numRuns: 60, plugins: [everyday(15)] },
    );
  });

  it('tells of a message that was mended when it was read that it is not the one that was handed in', () => {
    const transcript = openTranscript({ codec: openaiChatCodec }, [
      { role: 'user', content: 'Hello.', name: '' },
    ]);
    const step = prepare(transcript, emptyState(), {
      strategy: createStrategy('digest'),
      budget: { windowTokens: 1_000_000 },
    });
    if (step.type !== 'ready') throw new Error(step.type);
    const [sent] = renderView(transcript, step.view).messages;
    expect(sent).toMatchObject({ message: { role: 'user', content: 'Hello.' }, isEdited: true });
  });

  const readFile = { type: 'tool_use', id: 'call_1', name: 'read', input: {} };
  const contents = { type: 'tool_result', tool_use_id: 'call_1', content: 'text' };
  const turn = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [readFile] },
    { role: 'user', content: [contents] },
    { role: 'assistant', content: 'It is text.' },
  ];

  it('gives a repeated call another id, also where the first one was rendered long before', () => {
    const histories = [turn, [...turn, ...turn], [...turn, ...turn, ...turn]];
    expect(renderedStepwise(anthropicCodec, histories)).toEqual(
      histories.map((messages) => renderedStepwise(anthropicCodec, [messages])[0]),
    );
  });

  it('sends a result that stands behind later messages with its call, however the history has grown', () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' };
    const between = [
      { role: 'user', content: 'Meanwhile?' },
      { role: 'assistant', content: 'I wait.' },
    ];
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'text' };
    const whole = [{ role: 'user', content: 'Read it.' }, call, ...between, result, ...between, ...between];
    const histories = [5, 7, 9].map((end) => whole.slice(0, end));
    const last = renderedStepwise(openaiResponsesCodec, histories).at(-1);
    expect(last).toEqual(renderedStepwise(openaiResponsesCodec, [whole])[0]);
    expect(last).toContain(result);
  });
});

/** What is sent for each of the histories, of which each goes on with the one before it. */
function renderedStepwise(codec: Codec, histories: readonly (readonly unknown[])[]): unknown[][] {
  let transcript = openTranscript({ codec });
  let state = emptyState();
  let length = 0;
  return histories.map((messages) => {
    transcript = appendMessages(transcript, messages.slice(length));
    ({ length } = messages);
    const policy = { strategy: createStrategy('digest'), budget: { windowTokens: 1_000_000 } };
    const step = prepare(transcript, state, policy);
    if (step.type !== 'ready') throw new Error(step.type);
    ({ state } = step);
    return renderView(transcript, step.view).messages.map(({ message }) => message);
  });
}
