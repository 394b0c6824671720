import { compactionDiff } from '../../src/inspect/compare/compaction-diff.ts';
import { compareViews } from '../../src/inspect/compare/compare-views.ts';
import { describe, expect, it } from 'vitest';
import { fateOf, fatesAt } from '../../src/inspect/fates.ts';
import { looked, runEngine, user } from './run-engine.ts';
import { passRows, passTree } from '../../src/inspect/compare/pass-tree.ts';
import { requestAt } from '../../src/inspect/request-at.ts';
import fc from 'fast-check';
import type { Inspected, InspectedPass } from '../../src/inspect/inspected.ts';
import type { EngineRun } from './run-engine.ts';

/** Turns of some looks each, so large that some are compacted. */
const runs: fc.Arbitrary<EngineRun> = fc
  .array(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((turns) => {
    let number = 0;
    const messages = turns.flatMap((turn, index) => [
      user(`Request ${index}: look at src/part-${index}.ts`),
      ...turn.flatMap((lines) => looked((number += 1), linesOf(number, lines))),
    ]);
    return runEngine(messages);
  });

/** Quicker to compare than what it is of. */
function jsonOf(messages: readonly unknown[]): string {
  return JSON.stringify(messages);
}

function linesOf(number: number, count: number): string {
  return Array.from(
    { length: count },
    (_, line) => `lib/unit-${number}.ts:${line} says item ${number * 97 + line}`,
  ).join('\n');
}

describe('a run of the engine, looked at from its end', () => {
  it('has the request of every step as it was sent', () => {
    fc.assert(
      fc.property(runs, ({ inspected, sent }) => {
        for (const [index, messages] of sent.entries())
          expect(jsonOf(requestAt(inspected, index).messages.map(({ message }) => message))).toBe(
            jsonOf(messages),
          );
      }),
    );
  });

  it('says of each message either why it is there or why it is gone, and tokens that add up', () => {
    fc.assert(
      fc.property(runs, ({ inspected }) => {
        for (const index of inspected.steps.keys()) {
          const { items, view } = requestAt(inspected, index);
          const fates = fatesAt(inspected, index);
          const shown = fates.filter((fate) => fate.state === 'shown');
          const written = items.filter(({ type }) => type === 'synthetic');
          const tokens = [
            ...shown.map(({ shownTokens }) => shownTokens),
            ...written.map((item) => item.tokens),
          ];
          expect(tokens.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(view.tokens);
          for (const fate of fates) {
            if (fate.state === 'gone') expect(fate.cause.pass?.number).toBeGreaterThan(0);
            if (fate.state === 'shown' && fate.parts.every(({ state }) => state === 'whole'))
              expect(fate.shownTokens).toBe(fate.tokens);
          }
          expect(fates.filter(({ state }) => state === 'hidden')).toEqual([]);
        }
      }),
    );
  });

  it('compares two views without losing an item or the order of either', () => {
    fc.assert(
      fc.property(runs, fc.nat(), fc.nat(), ({ inspected }, first, second) => {
        const count = inspected.steps.length;
        const { left, right, rows } = compareViews(
          inspected,
          { step: first % count },
          { step: second % count },
        );
        expect(rows.flatMap((row) => row.left ?? [])).toEqual(left.items);
        expect(rows.flatMap((row) => row.right ?? [])).toEqual(right.items);
        const isSame = first % count === second % count;
        if (isSame) expect(rows.every(({ state }) => state === 'same')).toBe(true);
      }),
    );
  });
});

it('keeps what was asked before while it lets go of what was not', () => {
  const { inspected } = runEngine([
    user('Go'),
    ...Array.from({ length: 20 }, (_, n) => looked(n, 'short')).flat(),
  ]);
  const first = requestAt(inspected, 3);
  expect(requestAt(inspected, 3)).toBe(first);
  for (const index of inspected.steps.keys()) requestAt(inspected, index);
  expect(requestAt(inspected, 3)).not.toBe(first);
  expect(requestAt(inspected, 3)).toEqual(first);
  expect(() => requestAt(inspected, 20)).toThrow(RangeError);
  expect(() => requestAt(inspected, -1)).toThrow(RangeError);
});

const busy = [
  user('Mind config/limits.yaml, and use port 48123.'),
  ...Array.from({ length: 12 }, (_, n) => looked(n, linesOf(n, 60))).flat(),
  user('Never rename the table `old_orders`.'),
  ...Array.from({ length: 12 }, (_, n) => looked(n + 12, linesOf(n + 12, 60))).flat(),
];

it('says of an older request that it was the newest when what is around it was compacted', () => {
  const short = (number: number) => looked(number, 'short');
  const { inspected } = runEngine([
    ...busy,
    ...[30, 31, 32].flatMap(short),
    user('Go on.'),
    ...[40, 41].flatMap(short),
  ]);
  const last = inspected.steps.length - 1;
  expect(fateOf(inspected, last, 56)).toMatchObject({ because: 'request' });
  expect(fateOf(inspected, last, 25)).toMatchObject({ state: 'shown', because: 'request-then' });
});

it('names the reasons for which messages stay', () => {
  const { inspected } = runEngine(busy, { setup: { pins: [4] } });
  const last = inspected.steps.length - 1;
  const { historyLength } = requestAt(inspected, last);
  const because = (ordinal: number): unknown => {
    const fate = fateOf(inspected, last, ordinal);
    return fate?.state === 'shown' ? fate.because : fate?.state;
  };
  expect([0, 2, 4, 25, historyLength - 1, historyLength].map(because)).toEqual([
    'task',
    'gone',
    'pinned',
    'request',
    'tail',
    'later',
  ]);
  expect(because(historyLength - 2)).toBe('recent');
  expect(fateOf(inspected, last, 99_999)).toBeUndefined();
  const before = fateOf(inspected, 1, 1);
  expect(before).toMatchObject({ state: 'shown', because: 'all' });
});

it('names for what is gone the first compaction that took it, the step, and where it stands now', () => {
  const { inspected } = runEngine(busy);
  const last = inspected.steps.length - 1;
  const gone = fateOf(inspected, last, 3);
  if (gone?.state !== 'gone') throw new Error('Expected that it is gone.');
  const { cause } = gone;
  expect(inspected.passes.length).toBeGreaterThan(2);
  expect(cause).toMatchObject({ type: 'range-compacted', pass: { number: 1 } });
  expect(gone.standsIn?.number).toBe(inspected.passes.length);
  expect(inspected.steps[cause.step ?? -1]?.head).toBe(cause.pass?.id);
  expect(cause.savedTokens).toBeGreaterThan(0);
  const states = inspected.steps.map((_, index) => fateOf(inspected, index, 3)?.state);
  expect(states.indexOf('gone')).toBe(cause.step);
  expect(states.slice(2, cause.step ?? 0)).toEqual(states.slice(2, cause.step ?? 0).map(() => 'shown'));
});

it('ticks the facts that a summary still says, and those that only recall has', () => {
  const { inspected } = runEngine(busy);
  const pass = inspected.passes.at(-1) as InspectedPass;
  const { facts, lost, written, lostTokens } = compactionDiff(inspected, pass);
  expect(facts.some(({ foundIn }) => foundIn === 'summary')).toBe(true);
  expect(facts.some(({ foundIn }) => foundIn === 'missing')).toBe(true);
  for (const { kind, text, foundIn } of facts) {
    if (kind === 'user words') continue;
    // A number inside of a longer one is another number.
    const isWritten =
      kind === 'number' ? new RegExp(`(?<![\\d.])${text}(?!\\.?\\d)`).test(written) : written.includes(text);
    expect(isWritten).toBe(foundIn === 'summary');
  }
  expect(lost.some(({ ordinal, text }) => ordinal === null && text.includes('Session Summary'))).toBe(
    inspected.passes.length > 1,
  );
  expect(lostTokens).toBe(lost.reduce((sum, { tokens }) => sum + tokens, 0));
});

it('draws compactions that stand on one another as one line, and what was taken back beside it', () => {
  const passes = [
    ['a', null, true],
    ['b', 'a', false],
    ['c', 'a', true],
    ['d', 'c', true],
  ].map(([id, parent, isInForce]) => ({ id, parent, isInForce, canUndo: false, canRedo: false }));
  const rows = passRows(passTree({ passes: passes as unknown as Inspected['passes'] }));
  expect(rows.map(({ pass, depth }) => `${pass.id} ${depth}`)).toEqual(['a 0', 'b 1', 'c 0', 'd 0']);
  // The newest is that also where nothing can take it back.
  expect(rows.map(({ state }) => state)).toEqual(['in-force', 'undone', 'in-force', 'head']);
});

it('draws a tree of any compactions, each once, whatever their parents are', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const passes = fc.uniqueArray(
    fc.record({
      id: ids,
      parent: fc.option(ids),
      isInForce: fc.boolean(),
      canUndo: fc.boolean(),
      canRedo: fc.boolean(),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(passes, (list) => {
      const rows = passRows(passTree({ passes: list as unknown as Inspected['passes'] }));
      const known = rows.map(({ pass }) => pass.id);
      expect(new Set(known).size).toBe(known.length);
      const isRing = (id: string, seen: readonly string[] = []): boolean => {
        const parent = list.find((one) => one.id === id)?.parent;
        if (parent === undefined || parent === null || !list.some((one) => one.id === parent)) return false;
        return parent === id || seen.includes(parent) || isRing(parent, [...seen, id]);
      };
      expect(known.toSorted()).toEqual(
        list
          .map(({ id }) => id)
          .filter((id) => !isRing(id))
          .toSorted(),
      );
    }),
  );
});
