import { describe, expect, it } from 'vitest';
import { logLineOf } from './log-line-of.ts';

describe('logLineOf', () => {
  it('says what a prune pruned', () => {
    const data = { prunedCount: 3, savedTokens: 900, prunedTools: ['read'] };
    expect(logLineOf({ type: 'context:pruned', data })).toEqual({
      level: 'info',
      fields: data,
      message: 'Old tool output was pruned',
    });
  });

  it('says what a compaction came to, and nothing of what it wrote', () => {
    const figures = {
      checkpointId: 'c1',
      strategy: 'reactive-overflow',
      reason: 'threshold',
      round: 1,
      originalTokens: 9_000,
      compressedTokens: 3_000,
      originalMessages: 40,
      compressedMessages: 8,
      messagesCompacted: 32,
      wasPruned: true,
      wasSummarized: true,
      durationMs: 12,
      cost: null,
    } as const;
    const data = { ...figures, summary: 'The user has a secret.' };
    const line = logLineOf({ type: 'context:compressed', data });
    expect(line).toMatchObject({ level: 'info', fields: figures });
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  it('warns of a compaction that failed, by its code and not by its message', () => {
    const error = { code: 'provider', message: 'bad request: "my secret"' };
    const data = { error, canRetry: true, suggestNewSession: false };
    expect(logLineOf({ type: 'compaction:error', data })).toEqual({
      level: 'warn',
      fields: { code: 'provider', canRetry: true, suggestNewSession: false },
      message: 'The context could not be compacted',
    });
  });

  it('warns of an overflow', () => {
    const data = { currentTokens: 120, limit: 100, percentUsed: 120 };
    expect(logLineOf({ type: 'context:overflow', data })).toMatchObject({ level: 'warn', fields: data });
  });

  it('warns of repairs in one line, however many there are', () => {
    const repairs = Array.from({ length: 500 }, (_, index) => ({
      type: 'call-dropped',
      path: `messages[${index}]`,
    }));
    const line = logLineOf({ type: 'context:repaired', data: { repairs } });
    expect(line).toMatchObject({ level: 'warn', fields: { count: 500 } });
    expect(line?.fields['repairs']).toHaveLength(20);
  });

  it('is silent about everything else', () => {
    expect(logLineOf({ type: 'llm:thinking', data: { step: 1 } })).toBeUndefined();
    expect(logLineOf({ type: 'run:start', data: { runId: 'r1', isResumed: false } })).toBeUndefined();
  });
});
