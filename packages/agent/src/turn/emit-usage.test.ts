import { parsePlaceholder } from '@throughline/core/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTokens } from '../view/context-usage-of.ts';
import { budgetNote, createUsageEmitter } from './emit-usage.ts';
import type { ContextUsage } from '@throughline/protocol/types';
import type { RunContext } from './run-context.ts';

function usageAt(currentTokens: number): ContextUsage {
  return {
    currentTokens,
    limit: 1_000,
    windowTokens: 1_200,
    triggerTokens: 900,
    percentUsed: currentTokens / 10,
    level: 'ok',
    byCategory: { ...noTokens(), user: currentTokens },
    estimated: true,
  };
}

/** An answer that is being written: what is looked at, when, and what was told of it. */
function openStream() {
  const told: ContextUsage[] = [];
  let [nowMs, usage] = [5_000, usageAt(0)];
  const context: Partial<RunContext['context']> = { usage: () => usage };
  const writer: Partial<RunContext['writer']> = {
    add: (...writes) => {
      for (const write of writes)
        if (write.type === 'event') told.push(write.event.data as unknown as ContextUsage);
    },
  };
  const options = { clock: { nowMs: () => nowMs } };
  const emitter = createUsageEmitter({ context, writer, options, runId: 'r1' } as unknown as RunContext);
  return {
    told,
    look: (atMs: number, now: ContextUsage): void => {
      [nowMs, usage] = [atMs, now];
      emitter.emit(0);
    },
  };
}

describe('createUsageEmitter', () => {
  it('tells what has changed since it was looked at before', () => {
    const { told, look } = openStream();
    look(5_250, usageAt(5));
    look(5_500, usageAt(5));
    expect(told).toEqual([]);
    look(5_750, usageAt(6));
    expect(told).toEqual([usageAt(6)]);
  });

  it('tells when the same number has been counted by the provider', () => {
    const { told, look } = openStream();
    const counted = { ...usageAt(5), estimated: false };
    look(60_000, usageAt(5));
    look(120_000, counted);
    expect(told).toEqual([counted]);
  });

  it('goes on after the clock was set back', () => {
    const { told, look } = openStream();
    look(9_000_000, usageAt(5));
    look(0, usageAt(6));
    expect(told).toEqual([usageAt(6)]);
  });

  it('tells at most four times in any second of a stream', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 100 });
    fc.assert(
      fc.property(pauses, (steps) => {
        const { told, look } = openStream();
        const toldAt: number[] = [];
        let nowMs = 5_000;
        for (const [index, pause] of steps.entries()) {
          nowMs += pause;
          const before = told.length;
          look(nowMs, usageAt(index));
          if (told.length > before) toldAt.push(nowMs);
        }
        for (const first of toldAt) {
          expect(toldAt.filter((at) => at >= first && at < first + 1_000).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});

function usageOf(currentTokens: number, limit = 163_000, triggerTokens = 140_000): ContextUsage {
  return {
    currentTokens,
    limit,
    windowTokens: limit + 20_000,
    triggerTokens,
    percentUsed: (currentTokens / limit) * 100,
    level: 'ok',
    byCategory: { ...noTokens(), user: currentTokens },
    estimated: true,
  };
}

const noteOf = (usage: ContextUsage): string => budgetNote(usage, { isAutomatic: true });

describe('budgetNote', () => {
  it.each([
    [0, 'about 160k of 160k tokens of context are free. Older messages are condensed after about 140k more.'],
    [
      100_000,
      'about 60k of 160k tokens of context are free. Older messages are condensed after about 40k more.',
    ],
    [
      138_000,
      'about 25k of 160k tokens of context are free. Older messages are condensed within the next 5k.',
    ],
    [
      141_000,
      'about 20k of 160k tokens of context are free. Older messages are condensed before the next step.',
    ],
    [
      170_000,
      'less than 5k of 160k tokens of context are free. Older messages are condensed before the next step.',
    ],
  ])('says at %i tokens how much is left, and when older messages go', (currentTokens, text) => {
    expect(noteOf(usageOf(currentTokens))).toBe(`[Automatic status, not written by the user: ${text}]`);
  });

  it('promises no compaction where nothing is compacted by itself', () => {
    expect(budgetNote(usageOf(100_000), { isAutomatic: false })).toBe(
      '[Automatic status, not written by the user: about 60k of 160k tokens of context are free.]',
    );
  });

  it('has at most a hundred texts from an empty context to a full one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 2_000_000 }), (limit) => {
        const texts = new Set<string>();
        for (let part = 0; part <= 1_000; part += 1) {
          texts.add(noteOf(usageOf(Math.round((limit * part) / 1_000), limit, Math.round(limit * 0.8))));
        }
        expect(texts.size).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('never promises more room than there is', () => {
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(tokens, tokens, (currentTokens, limit) => {
        const [, number, unit] = /about ([\d.]+)(k?) of/.exec(noteOf(usageOf(currentTokens, limit))) ?? [];
        if (number === undefined) return;
        expect(Number(number) * (unit === 'k' ? 1_000 : 1)).toBeLessThanOrEqual(limit - currentTokens);
      }),
    );
  });

  it('is one line, no placeholder, and asks for nothing', () => {
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(tokens, tokens, (currentTokens, limit) => {
        const note = noteOf(usageOf(currentTokens, limit));
        expect(note).toMatch(/^\[[^\n[\]]+\]$/);
        expect(parsePlaceholder(note)).toBeUndefined();
        expect(note).not.toMatch(/\b(you|your|please|must|should|do not|avoid|NaN|Infinity)\b/i);
        expect(note).not.toMatch(/\d\.\d{4}/);
      }),
    );
  });
});
