import { describe, expect, it } from 'vitest';
import { bestStretches, newShare, termsOf } from './best-stretches.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { TimelineEntry } from '../transcript/summary.ts';

/** How much of a text is new behind others. */
function noveltyBehind(before: readonly string[], text: string): number {
  const said = new Set<string>();
  for (const one of before) newShare(termsOf(one), said);
  return newShare(termsOf(text), said);
}

describe('novelty', () => {
  it('is whole for what nothing was said of, and none for what is said again', () => {
    const error = 'src/a.ts(5,3): error TS2339: Property tokensAfter does not exist';
    expect(noveltyBehind([], error)).toBe(1);
    expect(noveltyBehind([error], error)).toBe(0);
    expect(noveltyBehind([error], `npm error ${error}`)).toBeLessThan(0.4);
  });

  it('is left to a name that comes with something else beside it', () => {
    expect(noveltyBehind(['The cache was cleared.'], 'No price changed behind that cache.')).toBe(1);
  });

  it('is small for a text that repeats itself', () => {
    expect(noveltyBehind([], 'the same line again '.repeat(30))).toBeLessThan(0.2);
  });

  it.each([
    ['設定ファイルを修正した', '設定ファイルを修正した', '価格の表は古い'],
    ['Done.', 'done', 'Failed.'],
    ['Исправлен кэш цен', 'Исправлен кэш цен', 'Тесты прошли снова'],
  ])('knows %s again, in any script', (first, again, other) => {
    expect(noveltyBehind([first], again)).toBe(0);
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

describe('best stretches', () => {
  const saying = (...texts: readonly string[]): TimelineEntry[] => [
    {
      recallId: messageRecallId(1),
      lines: [
        {
          kind: 'said',
          label: '',
          sent: texts.map((text, at) => ({ text, score: at === 0 ? 1 : 0.9 })),
          got: [],
        },
      ],
    },
  ];

  it('come by their worth, but for what was said before', () => {
    const entries = saying('the cache was stale', 'the cache was stale', 'prices come from a file');
    expect(bestStretches(entries).map(({ at }) => at)).toEqual([0, 2, 1]);
  });

  it('are each given once, also of 100 000 equal lines', () => {
    const given = bestStretches(saying(...Array.from({ length: 100_000 }, () => 'the same line')));
    expect(new Set(given.map(({ at }) => at)).size).toBe(100_000);
  });
});
