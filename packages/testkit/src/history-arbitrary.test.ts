import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyCase } from './every-case.ts';
import { wireFormats } from './compose-wire.ts';
import { historyArbitrary, testHistoryArbitrary } from './history-arbitrary.ts';
import { findWireFaults } from './independent-validator.ts';

describe('historyArbitrary', () => {
  it('shrinks a fault to the history that shows it', () => {
    const found = fc.check(
      fc.property(
        testHistoryArbitrary({ hostility: 'wild', size: 8 }),
        (messages) => !messages.some(({ parts }) => parts.filter(({ type }) => type === 'call').length > 2),
      ),
      { numRuns: 500, seed: 1, plugins: [everyCase] },
    );
    const [shortest] = (found.counterexample as [readonly unknown[]] | null) ?? [];
    expect(shortest?.length).toBeLessThanOrEqual(6);
  });

  it('makes both faulty and faultless histories in every format', () => {
    for (const format of wireFormats) {
      if (format === 'session') continue;
      const samples = fc.sample(historyArbitrary({ format, hostility: 'some' }), { numRuns: 200, seed: 1 });
      const faulty = samples.filter((messages) => findWireFaults(format, messages).length > 0).length;
      expect(faulty).toBeGreaterThan(40);
      expect(faulty).toBeLessThan(190);
    }
  });

  it('rarely makes histories of thousands of messages, long turns and giant texts', () => {
    const samples = fc.sample(testHistoryArbitrary({ hasGiants: true }), { numRuns: 400, seed: 1 });
    expect(samples.some((messages) => messages.length > 2_000)).toBe(true);
    expect(
      samples.some((messages) =>
        messages.some(({ parts }) => parts.some((part) => part.type === 'text' && part.text.length > 10_000)),
      ),
    ).toBe(true);
    expect(
      samples.some(
        (messages) => messages.length > 100 && messages.filter(({ role }) => role === 'user').length === 1,
      ),
    ).toBe(true);
  });
});
