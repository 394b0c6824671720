import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { everyCase } from '@throughline/testkit';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from './state.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import { resume } from '../context/resume.ts';
import type { Answer } from '../summary/model-request.ts';
import type { ModelNeeded, Ready, Step } from '../context/step.ts';
import type { Policy } from './policy.ts';
import type { Pricing } from '../models/prices.ts';
import type { PrepareOptions } from '../context/prepare.ts';
import type { Transcript } from '../history/transcript.ts';

const pricing: Pricing = {
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  cache: { kind: 'marked', lifetimeMs: 300_000 },
};
const cheap: Pricing = {
  ...pricing,
  prices: { input: 0.05, output: 0.2, cacheRead: 0.05, cacheWrite: 0.05 },
};
const prose = `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`;

function answer(text: string): Answer {
  return {
    type: 'text',
    text,
    finish: 'stop',
    usage: { inputTokens: 9_000, outputTokens: 300, cachedTokens: 8_500 },
  };
}

type Summariser = Extract<Policy['summariser'], { type: 'model' }>;

function policyWith(summariser: Partial<Summariser> = {}, more: Partial<Policy> = {}): Policy {
  const model: Summariser = { type: 'model', windowTokens: 200_000, canUseCachedPrefix: true, ...summariser };
  return policyOf(32_000, 'reactive-overflow', { summariser: model, pricing, ...more });
}

const transcript = transcriptOf(agentRun(60, 800));

function asks(policy: Policy, options: PrepareOptions = {}, history: Transcript = transcript): ModelNeeded {
  const step = prepare(history, emptyState(), policy, { reason: 'manual', ...options });
  if (step.type !== 'model-needed') throw new Error(`expected a question, got ${step.type}`);
  return step;
}

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

describe('a question behind the messages of the session', () => {
  it('follows what was sent last, message by message the same object', () => {
    const { cachedPrefix, system, messages } = asks(policyWith()).request;
    expect(cachedPrefix).toEqual(agentRun(60, 800).slice(0, -2));
    const sent = renderView(transcript, ready(prepare(transcript, emptyState(), policyOf(400_000))).view);
    cachedPrefix?.forEach((message, index) => expect(message).toBe(sent.messages[index]?.message));
    expect(system).toBe('');
    expect(messages).toHaveLength(1);
    expect(messages[0]?.content).toContain('## Completed Work');
    expect(messages[0]?.content).not.toContain('<history>');
  });

  it('is taken only where the host can ask it, prices are known and the cache is warm', () => {
    expect(asks(policyWith({ canUseCachedPrefix: false })).request.cachedPrefix).toBeUndefined();
    const { pricing: _none, ...unpriced } = policyWith();
    expect(asks(unpriced).request.cachedPrefix).toBeUndefined();
    expect(asks(policyWith(), { idleMs: 300_000 }).request.cachedPrefix).toBeUndefined();
    expect(asks(policyWith(), { idleMs: 299_999 }).request.cachedPrefix).toBeDefined();
  });

  it('is left to a summariser that costs less', () => {
    expect(asks(policyWith({ pricing: cheap })).request.cachedPrefix).toBeUndefined();
    expect(asks(policyWith({ pricing })).request.cachedPrefix).toBeDefined();
  });

  it('writes the summary, and is charged at the prices of the session', () => {
    const policy = policyWith({
      pricing: { ...pricing, prices: { ...pricing.prices, input: 30, cacheWrite: 30 } },
    });
    const { report } = ready(resume(transcript, asks(policy).paused, policy, answer(prose)));
    expect(report.wasCompacted).toBe(true);
    expect(report.summariser).toMatchObject({ calls: 1, inputTokens: 9_000, fallback: null });
    const expected = (8_500 * 0.3 + 500 * 3.75 + 300 * 15) / 1e6;
    expect(report.cost?.summariserUsd).toBeCloseTo(expected, 9);
  });

  it.each<[string, Answer]>([
    ['an empty answer', answer('')],
    ['a tool call', { type: 'text', text: '', finish: 'tool-calls' }],
    ['an answer to the conversation', answer('Sure, I will go on and read the next module for you now.')],
    ['an overflow', { type: 'failed', cause: 'overflow', message: 'too long' }],
    ['a server that is away', { type: 'failed', cause: 'unavailable', message: 'away' }],
  ])('is asked alone after %s', (_name, first) => {
    const policy = policyWith();
    const step = resume(transcript, asks(policy).paused, policy, first);
    if (step.type !== 'model-needed') throw new Error(`expected a second question, got ${step.type}`);
    expect(step.request.cachedPrefix).toBeUndefined();
    expect(step.request.messages[0]?.content).toContain('<history>');
    const stored = JSON.parse(JSON.stringify(step.paused)) as typeof step.paused;
    const { report } = ready(resume(transcript, stored, policy, answer(prose)));
    expect(report.summariser).toMatchObject({ calls: 2, fallback: null });
  });

  it('leaves everything as it was where it is cancelled', () => {
    const policy = policyWith();
    const cancelled: Answer = { type: 'failed', cause: 'cancelled', message: 'cancelled' };
    const step = ready(resume(transcript, asks(policy).paused, policy, cancelled));
    expect(step.changes).toEqual([]);
  });

  it('follows exactly the former request, however the session went on', () => {
    let asked = 0;
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 70 }), fc.integer({ min: 0, max: 3 }), (exchanges, passes) => {
        const policy = policyWith();
        let history = transcriptOf(agentRun(exchanges, 700));
        let state = emptyState();
        let sent: readonly unknown[] = [];
        for (let index = 0; index <= passes; index += 1) {
          const step = prepare(history, state, { ...policy, summariser: { type: 'code' } });
          state = ready(step).state;
          sent = renderView(history, ready(step).view).messages.map(({ message }) => message);
          history = appendMessages(history, exchange(1_000 + index, 700));
        }
        const step = prepare(history, state, policy, { reason: 'manual' });
        if (step.type !== 'model-needed' || !step.request.cachedPrefix) return;
        asked += 1;
        expect(step.request.cachedPrefix).toEqual(sent);
      }),
      { numRuns: 40, plugins: [everyCase] },
    );
    expect(asked).toBeGreaterThan(10);
  });
});
