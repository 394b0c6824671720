import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestFirst, openNovelty, termsOf } from './best-stretches.ts';

/** What a text is worth behind others. */
function noveltyBehind(shown: readonly string[], text: string): number {
  const novelty = openNovelty();
  for (const one of shown) novelty.show(termsOf(one));
  return novelty.of(termsOf(text));
}

describe('novelty', () => {
  it('is whole for what nothing was said of, and least for what is said again', () => {
    const error = 'src/a.ts(5,3): error TS2339: Property tokensAfter does not exist';
    expect(noveltyBehind([], error)).toBe(1);
    expect(noveltyBehind([error], error)).toBeCloseTo(0.1);
    expect(noveltyBehind([error], `npm error ${error}`)).toBeLessThan(0.4);
  });

  it('is left to a name that comes with something else beside it', () => {
    expect(noveltyBehind(['The cache was cleared.'], 'No price changed behind that cache.')).toBe(1);
  });

  it('is told by long words more than by short ones, which are the same everywhere', () => {
    const names = noveltyBehind(['it is in the'], 'it is in the configuration directory');
    const words = noveltyBehind(['the configuration directory'], 'it is in the configuration directory');
    expect(names).toBeGreaterThan(words);
  });

  it('is small for a text that repeats itself', () => {
    expect(noveltyBehind([], 'the same line again '.repeat(30))).toBeLessThan(0.2);
  });

  it.each([
    ['設定ファイルを修正した', '設定ファイルを修正した', '価格の表は古い'],
    ['Done.', 'done', 'Failed.'],
    ['Исправлен кэш цен', 'Исправлен кэш цен', 'Тесты прошли снова'],
  ])('knows %s again, in any script', (first, again, other) => {
    expect(noveltyBehind([first], again)).toBeCloseTo(0.1);
    expect(noveltyBehind([first], other)).toBe(1);
  });
});

describe('novelty of a correction', () => {
  it.each([
    ['There is an error in the parser', 'There is no error in the parser'],
    ['✓ parser handles empty input', '✗ parser handles empty input'],
    ['if (isReady) a < limit', 'if (!isReady) a > limit'],
  ])('is seen: %s, then %s', (first, then) => {
    expect(noveltyBehind([first], then)).toBeGreaterThan(0.2);
  });
});

describe('best first', () => {
  it('is done with 100 000 equal items, each given once', () => {
    const items = Array.from({ length: 100_000 }, () => ({ worth: 1 }));
    let given = 0;
    for (const _ of bestFirst(items, () => 1 / (1 + given))) given += 1;
    expect(given).toBe(100_000);
  });

  it('gives each item once, by what it is worth when its turn comes', () => {
    const items = [
      { name: 'a', text: 'the cache was stale', worth: 5 },
      { name: 'b', text: 'the cache was stale', worth: 4 },
      { name: 'c', text: 'prices come from a file', worth: 1 },
    ];
    const novelty = openNovelty();
    const order: string[] = [];
    for (const { name, text } of bestFirst(items, (item) => item.worth * novelty.of(termsOf(item.text)))) {
      order.push(name);
      novelty.show(termsOf(text));
    }
    expect(order).toEqual(['a', 'c', 'b']);
  });

  it('takes at each turn the item that is worth most at that turn', () => {
    const worths = fc.array(fc.record({ worth: fc.integer({ min: 0, max: 50 }), group: fc.nat(4) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(worths, (drawn) => {
        const ranked = drawn
          .map((item, at) => ({ ...item, at }))
          .sort((one, other) => other.worth - one.worth);
        const taken = new Map<number, number>();
        const worthNow = ({ worth, group }: (typeof ranked)[number]): number =>
          worth / (1 + (taken.get(group) ?? 0));
        const left = new Set(ranked);
        for (const item of bestFirst(ranked, worthNow)) {
          expect(worthNow(item)).toBe(Math.max(...[...left].map(worthNow)));
          expect(left.delete(item)).toBe(true);
          taken.set(item.group, (taken.get(item.group) ?? 0) + 1);
        }
        expect(left.size).toBe(0);
      }),
    );
  });
});
