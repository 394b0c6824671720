import { describe, expect, it } from 'vitest';
import { fillTimeline } from './fill-timeline.ts';
import { splitSentences } from '../text/cut-text.ts';
import { withoutQuotes } from './line-text.ts';
import type { TimelineEntry } from '../transcript/summary.ts';
import type { RecallId } from '../transcript/entry.ts';

const count = (text: string): number => Math.ceil(text.length / 4);

/** What is shown of an answer in so many tokens, where only sentences with one of `wanted` in them are worth much. */
function shownOf(text: string, wanted: readonly string[], maxTokens: number): string {
  const sent = splitSentences(text).map((piece) => ({
    text: piece,
    score: wanted.some((one) => piece.includes(one)) ? 1 : 0.01,
  }));
  const entry: TimelineEntry = {
    recallId: 'm1' as RecallId,
    lines: [{ kind: 'told', label: '', sent, got: [] }],
  };
  return fillTimeline([entry], maxTokens, count);
}

describe('a heading', () => {
  const verdicts = (one: string, other: string): string =>
    `${one}\n\n- \`av-1\`: merged by #15, as was said before.\n- \`av-2\`: covered.\n\n${other}\n\n- \`av-9\`: not on main yet.`;

  it.each([
    ['## Closed', '## Open'],
    ['**Closed**', '**Open**'],
    ['Closed:', 'Open:'],
    ['終了：', '未了：'],
  ])('%s is not shown over what stands under %s', (one, other) => {
    const shown = shownOf(verdicts(one, other), [one, 'av-9'], 16);
    expect(shown).toContain('av-9');
    expect(shown).not.toContain(one);
  });

  it('stays over a point that is shown', () => {
    const shown = shownOf(verdicts('## Closed', '## Open'), ['## Open', 'av-9'], 18);
    expect(shown).toContain('## Open');
    expect(shown).toContain('av-9');
  });

  it('stays at the end of an answer, where nothing was left out behind it', () => {
    expect(shownOf('It is a long story without any end.\n\nNext:', ['Next'], 8)).toContain('Next:');
  });

  it('goes with the heading below it that has nothing left either', () => {
    const text =
      '# Review\n\n## Closed\n\n- `av-1`: merged by #15, as was said before.\n\nThe build is green.';
    const shown = shownOf(text, ['# Review', '## Closed', 'green'], 14);
    expect(shown).toContain('green');
    expect(shown).not.toMatch(/Review|Closed/);
  });

  it('is no sentence that ends in a colon, which says something by itself', () => {
    const text =
      'The renderer has 2376 lines, with:\n\n- a very long point about the session handling\n\nEnd.';
    expect(shownOf(text, ['2376', 'End'], 14)).toContain('2376 lines');
  });
});

it('shows a comment of what was written, which is no heading', () => {
  const pieces = ['# Needs the token from the vault: CI has none', 'export A=1', 'export B=2', 'run'];
  const sent = pieces.map((text, at) => ({ text, score: at === 0 ? 1 : 0 }));
  const line = { kind: 'edit', label: 'Write a.sh', sent, got: [] } as const;
  expect(fillTimeline([{ recallId: 'm1' as RecallId, lines: [line] }], 20, count)).toContain(
    'Needs the token',
  );
});

describe('what stands under an item of a list', () => {
  const items = (...names: string[]): string =>
    names
      .map(
        (name, at) =>
          `${at + 1}. ${name}\n   - Price of ${name}: $${at}\n   - Seats in it: many, as was said\n`,
      )
      .join('');

  it('brings its item along where another one is shown above', () => {
    const shown = shownOf(items('Morning', 'Evening'), ['Price of M', 'Seats in'], 30);
    const seats = shownOf(items('Morning', 'Evening'), ['1. M', 'Price of E'], 16);
    expect(shown).not.toContain('1. Morning');
    expect(seats).toMatch(/1\. Morning[^]*2\. Evening[^]*Price of Evening/);
  });

  it('stands alone where nothing above could be taken for its item', () => {
    const shown = shownOf(items('Morning', 'Evening'), ['Price of E'], 8);
    expect(shown).toContain('Price of Evening');
    expect(shown).not.toContain('2. Evening');
  });
});

it('tells the objects of a list in a result apart', () => {
  const flights = [
    { id: 'HAT1', prices: { economy: 108 }, stops: [] },
    { id: 'HAT2', prices: { economy: 85 }, note: 'a}, {b' },
  ];
  const plain = 'id:HAT1,prices:economy:108;stops:;id:HAT2,prices:economy:85;note:a, b';
  expect(withoutQuotes(JSON.stringify(flights))).toBe(plain);
  expect(withoutQuotes(JSON.stringify(flights, null, 2)).replace(/\s/g, '')).toBe(plain.replace(' ', ''));
});
