import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { compact, prepare, shouldCompact } from './prepare.ts';
import { emptyState } from '../pass/state.ts';
import { undo } from './undo.ts';
import type { Policy } from '../pass/policy.ts';
import type { Ready, Step } from './step.ts';

const long = transcriptOf(agentRun(60, 1_000));

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

describe('shouldCompact', () => {
  it('says what prepare is about to do', () => {
    for (const windowTokens of [8_000, 16_000, 20_000, 30_000, 60_000]) {
      const policy = policyOf(windowTokens);
      const step = ready(prepare(long, emptyState(), policy));
      expect(shouldCompact(long, policy)).toBe(step.checkpoint !== undefined);
      expect(shouldCompact(long, policy, step.state)).toBe(false);
    }
  });

  it.each<[string, Partial<Policy>]>([
    ['compaction is switched off', { auto: false }],
    ['the strategy waits for the user', { strategy: { ...policyOf(1).strategy, trigger: 'manual' } }],
  ])('is false where %s, however large the history is', (_why, more) => {
    expect(shouldCompact(long, policyOf(8_000))).toBe(true);
    expect(shouldCompact(long, { ...policyOf(8_000), ...more })).toBe(false);
  });

  it('is false after an undo until space is needed', () => {
    const policy = { ...policyOf(40_000), budget: { windowTokens: 40_000, thresholdTokens: 12_000 } };
    const step = ready(prepare(long, emptyState(), policy));
    const state = undo(long, step.state, policy, step.checkpoint as NonNullable<Ready['checkpoint']>);
    expect(shouldCompact(long, policy)).toBe(true);
    expect(shouldCompact(long, policy, state)).toBe(false);
  });

  it('is false where the last pass could not get lower and little has come since', () => {
    const policy = policyOf(8_000);
    const system = { role: 'system', content: 'rule. '.repeat(2_300) };
    const transcript = transcriptOf([system, ...agentRun(30, 300).slice(1)]);
    const { state } = ready(prepare(transcript, emptyState(), policy));
    expect(shouldCompact(appendMessages(transcript, exchange(99, 100)), policy, state)).toBe(false);
  });

  it('is true where the request weighs too many bytes', () => {
    expect(shouldCompact(long, policyOf(1_000_000))).toBe(false);
    expect(shouldCompact(long, { ...policyOf(1_000_000), wire: { maxBytes: 20_000 } })).toBe(true);
  });
});

describe('compact', () => {
  it('makes one pass whatever the size, also where nothing is compacted by itself', () => {
    const policy: Policy = { ...policyOf(1_000_000), auto: false };
    const step = ready(compact(long, policy));
    expect(step.checkpoint?.reason).toBe('manual');
    expect(step.report.tokens.final).toBeLessThan(step.report.tokens.before);
    expect(ready(compact(long, policy, step.state)).state.checkpointCount).toBeGreaterThanOrEqual(1);
  });

  it('asks the model, with what the user wants to be kept in mind', () => {
    const policy: Policy = { ...policyOf(200_000), summariser: { type: 'model', windowTokens: 32_000 } };
    const step = compact(long, policy, emptyState(), { focus: 'the login bug of 14 March' });
    expect(step.type).toBe('model-needed');
    expect(JSON.stringify(step)).toContain('the login bug of 14 March');
  });
});
