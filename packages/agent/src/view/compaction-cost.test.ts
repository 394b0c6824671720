import { describe, expect, it } from 'vitest';
import { readCompactionCost, writeCompactionCost } from './compaction-cost.ts';
import type { CompactionCost } from '@throughline/protocol/types';

const cost: CompactionCost = {
  durationMs: 812,
  messagesCompacted: 40,
  model: 'small',
  usd: { rewriteUsd: 0.01, summariserUsd: 0.002, savedPerStepUsd: 0.003, breakEvenSteps: null },
};

describe('what a compaction took', () => {
  it('is read as it was written', () => {
    expect(readCompactionCost(writeCompactionCost(cost))).toEqual(cost);
    const free = { ...cost, model: null, usd: null };
    expect(readCompactionCost(writeCompactionCost(free))).toEqual(free);
  });

  it.each([[null], ['text'], [[1]], [{ usd: 1 }], [{ durationMs: '1', messagesCompacted: 2 }]])(
    'is nothing where a file says something else: %j',
    (stored) => {
      expect(readCompactionCost(stored)).toBeNull();
    },
  );

  it('has no dollars where a file has them in part', () => {
    const stored = { durationMs: 1, messagesCompacted: 2, model: 3, usd: { rewriteUsd: 1 } };
    expect(readCompactionCost(stored)).toEqual({
      durationMs: 1,
      messagesCompacted: 2,
      model: null,
      usd: null,
    });
  });
});
