import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeSent, historyArbitrary } from '@throughline/testkit';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { budgetOf } from '../budget/budget.ts';
import { checkOverflow, measureRequest } from './questions.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from './prepare.ts';
import { recordUsage } from '../pass/usage.ts';
import { replay } from '../changes/replay.ts';
import type { Ready, Step } from './step.ts';

const policy = policyOf(200_000);

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

describe('measureRequest', () => {
  it('agrees with the view of the longer history, on every cut of it and under any changes', () => {
    const history = historyArbitrary({ format: 'openai-chat', hostility: 'some' });
    const window = fc.constantFrom(4_000, 20_000, 1_000_000);
    fc.assert(
      fc.property(history, fc.nat(), window, (messages, at, windowTokens) => {
        const cut = at % (messages.length + 1);
        const before = transcriptOf(messages.slice(0, cut));
        fc.pre(canBeSent(before));
        const narrow = policyOf(windowTokens);
        const step = prepare(before, emptyState(), narrow);
        fc.pre(step.type === 'ready');
        const { view, state } = ready(step);
        const transcript = appendMessages(before, messages.slice(cut));
        const measure = measureRequest({ transcript, view, state, policy: narrow });
        const longer = replay(transcript.conversation, state.changes);
        fc.pre(longer.skipped.length === 0);
        expect(measure.tail).toHaveLength(messages.length - cut);
        expect(measure.estimateTokens).toBeCloseTo(longer.view.tokens, 6);
      }),
    );
  });

  it('agrees with checkOverflow where no result has to be truncated', () => {
    const before = transcriptOf(agentRun(5));
    const step = ready(prepare(before, emptyState(), policy));
    for (const inputTokens of [0, 500, 9_000]) {
      const state = recordUsage(before, step.state, { inputTokens, windowTokens: 200_000 });
      const transcript = appendMessages(before, exchange(6));
      const { currentTokens } = measureRequest({ transcript, view: step.view, state, policy });
      expect(currentTokens).toBe(checkOverflow(transcript, policy, state).currentTokens);
    }
  });

  it('agrees with the step on the view that the step has made', () => {
    const transcript = transcriptOf(agentRun(60, 1_000));
    const small = policyOf(8_000);
    const { view, state, report } = ready(prepare(transcript, emptyState(), small));
    const measure = measureRequest({ transcript, view, state, policy: small });
    expect(report.wasPruned || report.wasCompacted).toBe(true);
    expect(measure.currentTokens).toBeCloseTo(report.tokens.final, -1);
    expect(measure.budget.triggerTokens).toBe(report.triggerTokens);
    expect(measure.estimateTokens).toBe(view.tokens);
  });

  it('adds what the request holds beside the transcript, in the provider’s tokens', () => {
    const transcript = transcriptOf(agentRun(5));
    const step = ready(prepare(transcript, emptyState(), policy));
    const state = recordUsage(transcript, step.state, { inputTokens: 3_000, windowTokens: 200_000 });
    const context = { transcript, view: step.view, state, policy };
    const { a } = state.calibration;
    const added = measureRequest(context, 1_000).currentTokens - measureRequest(context).currentTokens;
    expect(Math.abs(added - 1_000 * a)).toBeLessThanOrEqual(1);
  });

  it('holds the request against a window that was learned from an error', () => {
    const transcript = transcriptOf(agentRun(5));
    const step = ready(prepare(transcript, emptyState(), policy));
    const state = { ...step.state, learnedWindow: { windowTokens: 8_000 } };
    const { budget } = measureRequest({ transcript, view: step.view, state, policy });
    expect(budget.usableTokens).toBe(budgetOf({ windowTokens: 8_000 }).usableTokens);
  });

  it('leaves the view as it is, so that the next step still costs only what is new', () => {
    const transcript = transcriptOf(agentRun(5));
    const { view, state } = ready(prepare(transcript, emptyState(), policy));
    const longer = appendMessages(transcript, exchange(6));
    measureRequest({ transcript: longer, view, state, policy });
    const next = ready(prepare(longer, state, policy));
    expect(next.view.items.isExtensionOf(view.items)).toBe(true);
  });
});
