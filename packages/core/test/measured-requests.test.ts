import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { canBeSent, composeWire, everyday, historyArbitrary } from '@throughline/testkit';
import {
  aiSdkCodec,
  anthropicCodec,
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  renderView,
  rewind,
} from '@throughline/core';
import { charactersEstimator, replay } from '@throughline/core/internal';
import type { Codec, Policy, Ready, Transcript, View } from '@throughline/core';

const codecs = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
} as const satisfies Record<string, Codec>;
type Format = keyof typeof codecs;
const formats = Object.keys(codecs) as Format[];

const policyOf = (windowTokens: number): Policy => ({
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens },
});

function ready(transcript: Transcript, policy: Policy, state = emptyState()): Ready {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

/** What the request measures as it is sent, repairs and all. */
function sentTokens(transcript: Transcript, view: View): number {
  const messages = renderView(transcript, view).messages.map(({ message }) => message);
  const { entries, tokensBefore } = appendMessages(rewind(transcript, 0), messages).conversation;
  return tokensBefore.at(entries.length) ?? 0;
}

/** A session in which no call of any round ever got its result. */
function unanswered(format: Format, rounds: number, callsEach = 1): unknown[] {
  const round = (index: number): Parameters<typeof composeWire>[1] => [
    { role: 'user', parts: [{ type: 'text', text: `Go on with ${index}.` }] },
    {
      role: 'assistant',
      parts: Array.from({ length: callsEach }, (_, call) => ({
        type: 'call',
        callId: `c${index}_${call}`,
        name: 'read',
        input: { path: `src/${index}.ts` },
      })),
    },
  ];
  return composeWire(format, [
    ...Array.from({ length: rounds }, (_, index) => round(index)).flat(),
    { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
  ]);
}

describe('a view', () => {
  it.each(formats)('of calls without results fits as it is sent: %s', (format) => {
    const transcript = openTranscript(
      { codec: codecs[format], estimator: charactersEstimator },
      unanswered(format, 1_500),
    );
    const step = ready(transcript, policyOf(60_000));
    expect(sentTokens(transcript, step.view)).toBeLessThanOrEqual(step.report.usableTokens);
  });

  it.each(formats)(
    'of parallel calls that end the history counts the results they are sent with: %s',
    (format) => {
      const messages = unanswered(format, 1, 50).slice(0, -1);
      const transcript = openTranscript({ codec: codecs[format], estimator: charactersEstimator }, messages);
      const { view } = ready(transcript, policyOf(60_000));
      expect(view.tokens).toBeGreaterThanOrEqual(sentTokens(transcript, view));
    },
  );

  // What holds the order of roles, or stands in the place of an empty message.
  const noteTokens = 40;

  it.each(formats)('measures at least what is sent: %s', (format) => {
    const history = historyArbitrary({ format, hostility: 'wild' });
    fc.assert(
      fc.property(history, fc.constantFrom(6_000, 20_000, 1_000_000), (messages, windowTokens) => {
        const transcript = openTranscript({ codec: codecs[format] }, messages);
        fc.pre(canBeSent(transcript));
        const step = prepare(transcript, emptyState(), policyOf(windowTokens));
        if (step.type !== 'ready') return;
        expect(sentTokens(transcript, step.view)).toBeLessThanOrEqual(step.view.tokens + noteTokens);
      }),
      { numRuns: 100, plugins: [everyday(15)] },
    );
  });

  it.each(formats)('measures the same when the history came message by message: %s', (format) => {
    const history = fc.oneof(
      historyArbitrary({ format, hostility: 'wild' }),
      fc.constant(unanswered(format, 8, 3)),
    );
    fc.assert(
      fc.property(history, fc.constantFrom(6_000, 20_000, 1_000_000), (messages, windowTokens) => {
        const policy = policyOf(windowTokens);
        let transcript = openTranscript({ codec: codecs[format] }, []);
        let state = emptyState();
        for (const message of messages) {
          transcript = appendMessages(transcript, [message]);
          if (!canBeSent(transcript)) continue;
          const step = prepare(transcript, state, policy);
          if (step.type !== 'ready') return;
          ({ state } = step);
          const fresh = openTranscript(
            { codec: codecs[format] },
            messages.slice(0, transcript.conversation.entries.length),
          );
          expect(step.view.tokens).toBeCloseTo(replay(fresh.conversation, state.changes).view.tokens, 6);
        }
      }),
      { numRuns: 60, plugins: [everyday(8)] },
    );
  });
});
