import { agentRun, policyOf, readyOf, transcriptOf } from '../../test/chat-history.ts';
import { describe, expect, it } from 'vitest';
import { emptyState } from './state.ts';
import { prepare } from '../context/prepare.ts';
import type { Policy } from './policy.ts';

const windowTokens = 16_000;

function warningsOf(
  budget: Partial<Policy['budget']>,
  state = emptyState(),
  exchanges = 3,
): readonly string[] {
  const policy = { ...policyOf(windowTokens), budget: { windowTokens, ...budget } };
  return readyOf(prepare(transcriptOf(agentRun(exchanges)), state, policy)).report.warnings;
}

describe('a request that may be answered with more than is kept for the answer', () => {
  const sentence =
    'The answer may take 8000 tokens (budget.requestMaxTokens), but only 4000 of the window of 16000 are kept free for it: a long prompt and a long answer together would exceed the window. Set budget.outputReserveTokens to keep more.';

  it('is warned of, with what is really kept', () => {
    expect(warningsOf({ requestMaxTokens: 8_000 })).toEqual([sentence]);
    expect(warningsOf({ requestMaxTokens: 8_000 }, emptyState(), 200)).toContain(sentence);
  });

  it('is warned of once, until room has to be made', () => {
    const policy = { ...policyOf(windowTokens), budget: { windowTokens, requestMaxTokens: 8_000 } };
    const { state } = readyOf(prepare(transcriptOf(agentRun(3)), emptyState(), policy));
    expect(warningsOf({ requestMaxTokens: 8_000 }, state, 4)).toEqual([]);
  });

  it.each([
    { requestMaxTokens: 4_000 },
    { maxOutputTokens: 8_000 },
    { requestMaxTokens: 8_000, outputReserveTokens: 8_000 },
    { requestMaxTokens: 8_000, outputReserveTokens: 1_000 },
  ])('is no matter where it was said how much is kept, or less is asked for: %j', (budget) => {
    expect(warningsOf(budget)).toEqual([]);
  });
});
