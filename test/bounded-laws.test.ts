import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyCase, everyday } from '@throughline/testkit';
import { boundedLaw } from '../tools/bounded-laws.ts';

const number = fc.nat(1_000_000);
const bounded = boundedLaw({ rounds: 4, shrinks: 3, isDeep: false });
const settings = { numRuns: 50, seed: 7 };

/** What a law sees that is bounded to four cases and three smaller ones, and whether it was found to hold. */
function check(
  holds: (value: number) => boolean | void,
  more: readonly fc.Plugin<unknown>[] = [],
): { readonly seen: readonly number[]; readonly failed: boolean } {
  const seen: number[] = [];
  const property = fc.property(number, (value) => {
    seen.push(value);
    return holds(value);
  });
  const { failed } = fc.check(property, { ...settings, plugins: [bounded, ...more] });
  return { seen, failed };
}

describe('a bounded law', () => {
  it('tries the first cases that it would try without a bound, and holds when they do', () => {
    const cases = fc.sample(number, settings);
    expect(check(() => true)).toEqual({ seen: cases.slice(0, 4), failed: false });
    expect(check(() => true, [everyCase])).toEqual({ seen: cases, failed: false });
  });

  it('whose cases are dear is tried with fewer of them, and in a deep run with all', () => {
    const cases = fc.sample(number, settings);
    const triedBy = (isDeep: boolean, rounds = Infinity): readonly number[] => {
      const seen: number[] = [];
      // A store of its own: what all laws are bounded by does not see it, and lets every case through.
      const store = new Map<unknown, unknown>() as unknown as Parameters<fc.Plugin<unknown>>[1];
      everyday(7)(0, store);
      const plugins: fc.Plugin<unknown>[] = [
        everyCase,
        () => boundedLaw({ rounds, shrinks: 3, isDeep })(0, store),
      ];
      fc.assert(
        fc.property(number, (value) => void seen.push(value)),
        { ...settings, plugins },
      );
      return seen;
    };
    expect([triedBy(false), triedBy(true)]).toEqual([cases.slice(0, 7), cases]);
    expect(triedBy(false, 5)).toEqual(cases.slice(0, 5));
  });

  it('does not count a case to which the law does not apply', () => {
    let tried = 0;
    check((value) => {
      fc.pre(value % 2 === 0);
      tried += 1;
    });
    expect(tried).toBe(4);
  });

  it('fails with a fault among its cases, and looks for smaller ones so many times', () => {
    const { seen, failed } = check((value) => value < 10);
    expect([failed, seen.length]).toEqual([true, seen.findIndex((value) => value >= 10) + 1 + 3]);
  });

  it('is bounded the same where it waits', async () => {
    const seen: number[] = [];
    const property = fc.asyncProperty(number, async (value) => void seen.push(await Promise.resolve(value)));
    expect(await fc.check(property, { ...settings, plugins: [bounded] })).toMatchObject({ failed: false });
    expect(seen).toEqual(fc.sample(number, settings).slice(0, 4));
  });
});
