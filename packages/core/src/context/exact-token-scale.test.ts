import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { actualTokens, openPass } from '../pass/pass.ts';
import { emptyState } from '../pass/state.ts';
import { measuredExactly } from './prepare.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { renderView } from '../history/render-view.ts';
import type { Pass } from '../pass/pass.ts';

const exact = { name: 'two characters a token', count: (text: string) => Math.ceil(text.length / 2) };

/** A pass whose trigger is where the estimate of the history is. */
function nearTrigger(messages: readonly unknown[]): Pass {
  const transcript = transcriptOf(messages);
  const estimate = actualTokens(openPass(transcript, emptyState(), policyOf(1_000_000)));
  const policy = policyOf(1_000_000);
  const budget = { ...policy.budget, thresholdTokens: Math.round(estimate) };
  return openPass(transcript, emptyState(), { ...policy, budget });
}

/** What the exact tokenizer says of the messages as they are sent. */
function sentTokens({ transcript, view }: Pass): number {
  const meter = { estimator: exact, media: transcript.media };
  return renderView(transcript, view).messages.reduce(
    (sum, { message }) => sum + measureEntry(transcript.codec.decode(message, 0), meter).tokens,
    0,
  );
}

describe('measuredExactly', () => {
  it('counts what is sent, error results for calls without a result too', () => {
    const isAnswer = (message: unknown): boolean => (message as { role: string }).role === 'tool';
    const unanswered = agentRun(200).filter((message, index) => !isAnswer(message) || index % 3 === 0);
    const pass = nearTrigger([...unanswered, { role: 'user', content: 'And now?' }]);
    expect(renderView(pass.transcript, pass.view).repairs.length).toBeGreaterThan(50);
    expect(actualTokens(measuredExactly(pass, exact))).toBeCloseTo(sentTokens(pass), 3);
  });

  it('leaves the pass as it is far from the trigger, or where the provider has counted', () => {
    const pass = nearTrigger(agentRun(20));
    const budget = { ...pass.budget, triggerTokens: pass.budget.triggerTokens * 2 };
    const far = { ...pass, budget };
    expect(measuredExactly(far, exact)).toBe(far);
    const usage = { actualTokens: 900, estimateTokens: 800 };
    const counted = { ...pass, state: { ...pass.state, usage } };
    expect(measuredExactly(counted, exact)).toBe(counted);
    expect(measuredExactly(pass, undefined)).toBe(pass);
  });
});
