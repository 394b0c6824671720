import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { checkOverflow } from '../context/questions.ts';
import { emptyState } from './state.ts';
import { recordUsage, tokenScaleOf } from './usage.ts';
import { prepare } from '../context/prepare.ts';
import { toActual } from '../budget/measures.ts';
import type { ContextState } from './state.ts';
import type { Transcript } from '../history/transcript.ts';

const policy = policyOf(400_000);

/** The state after the history was sent, and what the estimate of it was. */
function sent(transcript: Transcript): { state: ContextState; estimateTokens: number } {
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return { state: step.state, estimateTokens: step.view.tokens };
}

describe('tokenScaleOf', () => {
  it.each([0.3, 0.5, 0.9, 1, 1.4, 3])(
    'measures what was sent by what the provider counted: %f of the estimate',
    (share) => {
      const transcript = transcriptOf(agentRun(40, 4_000));
      const { state, estimateTokens } = sent(transcript);
      const inputTokens = Math.round(estimateTokens * share);
      const counted = recordUsage(transcript, state, { inputTokens, windowTokens: 400_000 });
      expect(checkOverflow(transcript, policy, counted).currentTokens).toBe(inputTokens);
    },
  );

  it('adds the estimate of what came after a count that was far below the line of the calls before', () => {
    let transcript = transcriptOf(agentRun(1));
    let { state } = sent(transcript);
    for (let index = 10; index < 20; index += 1) {
      transcript = appendMessages(transcript, exchange(index, 8_000));
      const step = prepare(transcript, state, policy);
      if (step.type !== 'ready') throw new Error('expected a ready step');
      const share = index === 19 ? 0.5 : 1;
      const inputTokens = Math.round(step.view.tokens * share);
      state = recordUsage(transcript, step.state, { inputTokens, windowTokens: 400_000 });
    }
    const { actualTokens = 0 } = state.usage ?? {};
    expect(checkOverflow(transcript, policy, state).currentTokens).toBe(actualTokens);
    const { slope } = tokenScaleOf(transcript, state);
    const grown = appendMessages(transcript, exchange(30, 8_000));
    const newTokens =
      (grown.conversation.tokensBefore.at(grown.conversation.entries.length) ?? 0) -
      (transcript.conversation.tokensBefore.at(transcript.conversation.entries.length) ?? 0);
    const expected = Math.ceil(actualTokens + slope * newTokens);
    expect(Math.abs(checkOverflow(grown, policy, state).currentTokens - expected)).toBeLessThanOrEqual(1);
  });

  it('meets the count of the last request whatever was counted, and stays above nothing below it', () => {
    const transcript = transcriptOf(agentRun(5));
    const tokens = fc.integer({ min: 1, max: 200_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, (actualTokens, estimateTokens, less) => {
        const tokenScale = tokenScaleOf(transcript, {
          ...emptyState(),
          usage: { actualTokens, estimateTokens },
        });
        expect(toActual(tokenScale, estimateTokens)).toBeCloseTo(actualTokens, 3);
        expect(toActual(tokenScale, Math.min(less, estimateTokens))).toBeGreaterThan(0);
      }),
    );
  });
});

describe('recordUsage', () => {
  it('does not believe a count that leaves most of the request out', () => {
    const transcript = transcriptOf(agentRun(40, 4_000));
    const { state, estimateTokens } = sent(transcript);
    const inputTokens = Math.round(estimateTokens * 0.2);
    expect(recordUsage(transcript, state, { inputTokens, windowTokens: 400_000 })).toBe(state);
  });

  it('does not believe a count without an end, whatever the window', () => {
    const transcript = transcriptOf(agentRun(4));
    const { state } = sent(transcript);
    expect(recordUsage(transcript, state, { inputTokens: Infinity, windowTokens: Infinity })).toBe(state);
  });

  it('believes such a count of images, as far as the text is in it, and learns nothing of text from it', () => {
    const url = 'https://example.org/a.png';
    const content = Array.from({ length: 20 }, () => ({ type: 'image_url', image_url: { url } }));
    const text = 'The harbour is closed in winter. '.repeat(200);
    const transcript = transcriptOf([{ role: 'user', content: [...content, { type: 'text', text }] }]);
    const { state, estimateTokens } = sent(transcript);
    const { estimateTokens: textTokens } = sent(transcriptOf([{ role: 'user', content: text }]));
    expect(estimateTokens).toBeGreaterThan(10 * textTokens);
    const countAs = (inputTokens: number): ContextState =>
      recordUsage(transcript, state, { inputTokens, windowTokens: 400_000 });
    const counted = countAs(textTokens);
    expect(checkOverflow(transcript, policy, counted).currentTokens).toBe(textTokens);
    expect(counted.calibration).toBe(state.calibration);
    expect(countAs(Math.round(0.2 * textTokens))).toBe(state);
  });
});
