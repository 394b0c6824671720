import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { emptyState } from './state.ts';
import { forgetWindow, learnWindow } from './usage.ts';
import { prepare } from '../context/prepare.ts';

describe('learnWindow', () => {
  it('lowers the window that every later step keeps to', () => {
    const transcript = transcriptOf(agentRun(100, 800));
    const state = learnWindow(emptyState(), { windowTokens: 16_000, atMs: 0 });
    const step = prepare(transcript, state, policyOf(200_000));
    if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
    expect(step.report.windowTokens).toBe(16_000);
    expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
  });

  it.each([40_000, 0, 0.5, -1, NaN, Infinity])('ignores %s when 16 000 is known', (windowTokens) => {
    const state = learnWindow(emptyState(), { windowTokens: 16_000 });
    expect(learnWindow(state, { windowTokens })).toBe(state);
  });
});

describe('forgetWindow', () => {
  const state = learnWindow(emptyState(), { windowTokens: 16_000, atMs: 1_000 });

  it('keeps the window for 24 hours and not longer', () => {
    expect(forgetWindow(state, { atMs: 1_000 + 86_399_999 })).toBe(state);
    expect(forgetWindow(state, { atMs: 1_000 + 86_400_000 }).learnedWindow).toBeNull();
  });

  it('forgets it at once when the limit was discovered', () => {
    expect(forgetWindow(state, 'discovered').learnedWindow).toBeNull();
  });
});
