import { describe, expect, it } from 'vitest';
import {
  appendMessages,
  checkOverflow,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  recordUsage,
  renderView,
} from '../src/index.ts';
import { strategyNames, calibratedTokens } from '../src/internal.ts';
import { charactersEstimator } from '../src/tokens/estimator.ts';
import { agentRun, exchange, policyOf, transcriptOf } from './chat-history.ts';
import type { Policy, Ready, Strategy, Transcript } from '../src/index.ts';

function ready(transcript: Transcript, policy: Policy): Ready {
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

/** A talk without tools: every message is an exchange of its own. */
function talk(messages: number): unknown[] {
  return Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'what was said here does not matter. '.repeat(3)}`,
  }));
}

/** How many messages at the end of the view are those of the history. */
function keptAtEnd(transcript: Transcript, { view }: Ready): number {
  const { messages } = renderView(transcript, view);
  return messages.length - 1 - messages.findLastIndex(({ source }) => source !== 'entry');
}

describe('threshold-tail', () => {
  const longTalk = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, talk(501));

  it.each([
    [undefined, 10],
    [4, 4],
    [6, 6],
  ])('leaves the newest messages alone, with %s as option: %d', (recentMessagesToKeep, kept) => {
    const options = recentMessagesToKeep === undefined ? {} : { recentMessagesToKeep };
    const strategy = createStrategy('threshold-tail', options);
    const step = ready(longTalk, { strategy, budget: { windowTokens: 16_000 } });
    expect(step.report.wasCompacted).toBe(true);
    expect(keptAtEnd(longTalk, step)).toBe(kept);
  });
});

describe('what the provider counts', () => {
  it('corrects the estimate of the next session of the model', () => {
    const policy = policyOf(400_000);
    let transcript = transcriptOf(agentRun(2, 4_000));
    let state = emptyState();
    for (let index = 10; index < 22; index += 1) {
      const step = prepare(transcript, state, policy);
      if (step.type !== 'ready') throw new Error('expected a ready step');
      const inputTokens = Math.round(step.view.tokens * 1.5);
      state = recordUsage(transcript, step.state, { inputTokens, windowTokens: 400_000 });
      transcript = appendMessages(transcript, exchange(index, 4_000));
    }
    const other = transcriptOf(agentRun(30, 4_000));
    const estimate = checkOverflow(other, policy).currentTokens;
    const corrected = checkOverflow(other, policy, emptyState(state.calibration)).currentTokens;
    expect(corrected / estimate).toBeGreaterThan(1.4);
    expect(corrected / estimate).toBeLessThan(1.6);
    expect(calibratedTokens(state.calibration, 10_000)).toBeGreaterThan(14_000);
  });
});

describe('a percentage', () => {
  it.each([80, 0.8, '80', '80%', '0.8', '80 %'])(
    'is the same however it is written: %s',
    (thresholdPercent) => {
      const strategy = createStrategy('middle-removal', { thresholdPercent });
      expect(strategy.triggerAt(90_000, 100_000)).toBe(80_000);
      const keeping = createStrategy('proactive-threshold', { keepPercent: thresholdPercent });
      expect(keeping.ladderSteps.at(-1)).toMatchObject({ keep: { type: 'last-share', share: 0.8 } });
    },
  );

  it.each([0, 101, -5, '101%', 'much', '', NaN])('is refused where it is none: %s', (thresholdPercent) => {
    expect(() => createStrategy('middle-removal', { thresholdPercent })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  it('of 1 is one percent', () => {
    expect(createStrategy('middle-removal', { thresholdPercent: 1 }).triggerAt(90_000, 100_000)).toBe(1_000);
  });
});

describe.each(strategyNames)('the trigger of %s', (name) => {
  const long = transcriptOf(agentRun(40, 4_000));
  const with_ = (trigger: Strategy['trigger']): Strategy =>
    createStrategy(name, { trigger, thresholdPercent: 50 });

  it('can be overflow, a threshold, or nothing but the user', () => {
    expect(with_('overflow')).toMatchObject({ trigger: 'overflow' });
    expect(with_('overflow').triggerAt(90_000, 100_000)).toBe(90_000);
    expect(with_('threshold').trigger).toBe('threshold');
    expect(with_('threshold').triggerAt(90_000, 100_000)).toBeLessThanOrEqual(50_000);
    const windowTokens = 60_000;
    const waits = ready(long, { strategy: with_('manual'), budget: { windowTokens } });
    expect(waits.checkpoint).toBeUndefined();
  });
});

describe('a strategy with an opinion of what was made', () => {
  const long = transcriptOf(agentRun(400, 300));
  const withOpinion = (validate: () => string | boolean | undefined): Ready => {
    const strategy: Strategy = { ...createStrategy('middle-removal'), validate };
    return ready(long, { strategy, budget: { windowTokens: 16_000 } });
  };

  it.each([true, undefined])('lets it be carried out with %s', (answer) => {
    expect(withOpinion(() => answer).report.messagesCompacted).toBeGreaterThan(0);
    expect(
      withOpinion(() => answer).report.ladderSteps.some(({ ladderStep }) => ladderStep === 'compact'),
    ).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a promise', Promise.resolve(true)],
    ['null', null],
    ['1', 1],
  ])('is refused where it is none: %s', (shown, answer) => {
    expect(() => withOpinion(() => answer as boolean)).toThrow(
      `Expected strategy.validate() to be a sentence, true, false or undefined, at once, got ${shown}.`,
    );
  });

  it.each([false, 'Too short.'])('has it left undone with %s', (answer) => {
    expect(
      withOpinion(() => answer).report.ladderSteps.some(({ ladderStep }) => ladderStep === 'compact'),
    ).toBe(false);
  });
});
