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
import { joinTail, tailView } from '../changes/view.ts';
import { fingerprintPart } from '../transcript/fingerprint.ts';
import { rangeIdOf } from '../changes/range-id.ts';
import { replay } from '../changes/replay.ts';
import type { Change } from '../changes/change.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Entry, RecallId } from '../transcript/entry.ts';
import type { Summary } from '../transcript/summary.ts';
import type { Transcript } from './transcript.ts';

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

  it.each(formats)(
    'gives what it gives from scratch when a history grows behind what stayed of a range (%s)',
    (format) => {
      const codec: Codec = codecs[format];
      fc.assert(
        fc.property(
          historyArbitrary({ format, hostility: 'some', size: 4 }),
          fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
          fc.nat(),
          (messages, stays, cut) => {
            const from = 1 + (cut % Math.max(1, messages.length));
            let grown = openTranscript({ codec }, messages.slice(0, from));
            const change = rangeOf(grown, stays);
            const first = replay(grown.conversation, [change]);
            if (first.skipped.length > 0) return;
            let { view } = first;
            for (let end = from; ; end += 1) {
              const fresh = openTranscript({ codec }, messages.slice(0, end));
              const anew = replay(fresh.conversation, [change]);
              for (const ending of ['open', 'send'] as const)
                expect(renderView(grown, view, { ending })).toEqual(renderView(fresh, anew.view, { ending }));
              if (end >= messages.length) return;
              grown = appendMessages(grown, messages.slice(end, end + 1));
              view = joinTail(view, tailView(view, grown.conversation));
            }
          },
        ),
        { numRuns: 200, plugins: [everyday(25)] },
      );
    },
  );

  it.each([0, 1, 2])(
    'sends a result that comes late with its call, which stayed of a range, behind %i others',
    (others) => {
      const codec = openaiResponsesCodec;
      const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' };
      const result = { type: 'function_call_output', call_id: 'call_1', output: 'text' };
      const between = Array.from({ length: others }, () => ({ role: 'user', content: 'Meanwhile?' }));
      const next = { role: 'user', content: 'And?' };
      const whole = [next, call, ...between, next, result, { role: 'assistant', content: 'It is text.' }];
      let grown = openTranscript({ codec }, whole.slice(0, 2 + others));
      const change = rangeOf(openTranscript({ codec }, whole.slice(0, 2)), []);
      let { view } = replay(grown.conversation, [change]);
      for (let end = 2 + others; ; end += 1) {
        const fresh = openTranscript({ codec }, whole.slice(0, end));
        const anew = replay(fresh.conversation, [change]);
        expect(anew.skipped).toEqual([]);
        const sent = renderView(grown, view, { ending: 'open' });
        expect(sent).toEqual(renderView(fresh, anew.view, { ending: 'open' }));
        if (end === whole.length) return;
        grown = appendMessages(grown, whole.slice(end, end + 1));
        view = joinTail(view, tailView(view, grown.conversation));
      }
    },
  );

  it.each([
    ['anthropic', [{ type: 'thinking', thinking: 'hm', signature: 's' }]],
    ['ai-sdk', [{ type: 'reasoning', text: 'hm' }]],
  ] as const)(
    'sends nothing of a message of which all was reasoning that is dropped (%s)',
    (format, content) => {
      const codec: Codec = codecs[format];
      const [before, after] = ['Go.', 'And?'].map((text) => ({ role: 'user', content: text }));
      const transcript = openTranscript({ codec }, [before, { role: 'assistant', content }, after]);
      const entry = transcript.conversation.entries.at(1) as Entry;
      const change: Change = {
        type: 'reasoning-dropped',
        anchor: { ordinal: 1, part: 0, fingerprint: fingerprintPart(entry, 0) ?? '' },
        reason: 'binding',
        beforeTokens: 0,
        afterTokens: 0,
        recallId: 'r' as RecallId,
      };
      const { view, skipped } = replay(transcript.conversation, [change]);
      expect(skipped).toEqual([]);
      const { messages, repairs } = renderView(transcript, view);
      expect(messages.map(({ message }) => message)).toEqual([before, after]);
      expect(repairs).toEqual([]);
    },
  );

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

/** All messages dropped but some exchanges, which stay whole: those that wait for a result, and others. */
function rangeOf({ conversation }: Transcript, stays: readonly boolean[]): Change {
  const { exchanges, lastExchange, entries } = conversation;
  const kept: number[] = [];
  for (const [index, exchange] of [...exchanges.slice(), lastExchange].entries()) {
    if (!exchange || !(exchange.openCalls.length > 0 || stays[index] === true)) continue;
    for (let position = exchange.first; position < exchange.end; position += 1)
      kept.push(entries.at(position)?.ordinal ?? -1);
  }
  const end = (entries.at(entries.length - 1)?.ordinal ?? -1) + 1;
  return {
    type: 'range-dropped',
    anchor: { first: 0, end, ...rangeIdOf(conversation, { first: 0, end }), lead: [], kept },
    text: 'Something was left out.',
    injection: 'user',
    summary: {} as Summary,
    reason: 'space',
    beforeTokens: 0,
    afterTokens: 0,
    recallId: 'r' as RecallId,
  };
}
