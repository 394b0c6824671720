import { describe, expect, it } from 'vitest';
import { fillTimeline } from './fill-timeline.ts';
import { headsOf, isHeading } from './headings.ts';
import { splitSentences } from '../text/cut-text.ts';
import type { Piece, TimelineEntry } from '../transcript/summary.ts';
import type { RecallId } from '../transcript/entry.ts';

/** The pieces of a text, of which only those with `wanted` in them are worth something. */
const piecesOf = (text: string, wanted = ''): Piece[] =>
  splitSentences(text).map((piece) => ({ text: piece, score: piece.includes(wanted) ? 1 : 0.01 }));
const headOf = (text: string, piece: string): string | undefined => {
  const pieces = piecesOf(text);
  const head = headsOf(pieces)[pieces.findIndex((one) => one.text.includes(piece))];
  return head === undefined ? undefined : pieces[head]?.text.trim();
};

const verdicts =
  'All checked.\n\nConfirmed Close\n\n- `av-1`: merged by #15. It renamed the runs.\n- `av-2`: covered.\n\nKeep Open\n\n- `av-9`: not on main.\n  - It waits for #20.\n\nThat is all.';

describe('headsOf', () => {
  it.each([
    ['covered', 'Confirmed Close'],
    ['not on main', 'Keep Open'],
    ['It waits', '- `av-9`: not on main.'],
    ['It renamed', '- `av-1`: merged by #15.'],
    ['That is all', undefined],
    ['All checked', undefined],
  ])('%s is shown with %s', (piece, head) => {
    expect(headOf(verdicts, piece)).toBe(head);
  });

  it('needs nothing in front of a sentence, and nothing long', () => {
    expect(headOf('One thing. Another thing.', 'Another')).toBeUndefined();
    expect(headOf(`${'a long line that leads on '.repeat(8)}:\n- one\n`, 'one')).toBeUndefined();
  });
});

describe('isHeading', () => {
  it.each(['## Changes\n', 'The two commits are:\n', '原因：'])('%s says nothing by itself', (text) => {
    expect(isHeading({ text, score: 1 })).toBe(true);
  });

  it('is no sentence', () => {
    expect(isHeading({ text: 'It is done.', score: 1 })).toBe(false);
  });
});

describe('a timeline', () => {
  const told = (text: string, wanted: string): TimelineEntry => ({
    recallId: 'm1' as RecallId,
    lines: [{ kind: 'told', label: '', sent: piecesOf(text, wanted), got: [] }],
  });
  const count = (text: string): number => Math.ceil(text.length / 4);

  it('shows a point under its own heading, and no heading without a point', () => {
    const shown = fillTimeline([told(verdicts, 'not on main')], 16, count);
    expect(shown).toContain('Keep Open');
    expect(shown).toContain('not on main');
    expect(shown).not.toContain('Confirmed Close');
  });
});
