import { boundedPieces, shownPieces } from './pieces.ts';
import { cutHead, cutTail } from '../text/cut-text.ts';
import { withoutRoot } from './path-root.ts';
import { withoutMarks } from '../text/neutral.ts';
import { quoted } from '../text/quoted.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/timeline.ts';

type Weighed = LineKind | 'failed';

const all = 1_000_000;
export const levelCount = 12;

/** Most characters at each level, from the least to all that is kept; the last figure goes on. */
interface Caps {
  readonly label: readonly number[];
  readonly sent: readonly number[];
  readonly got: readonly number[];
}

const levels: { readonly [Kind in Weighed]: Caps } = {
  user: { label: [0], sent: [all], got: [0] },
  answer: {
    label: [120],
    sent: [80, 120, 160, 300, 600, 1_200, 2_400, all],
    got: [300, 300, 300, 600, 1_500, 4_000, all],
  },
  told: { label: [0], sent: [110, 190, 300, 500, 800, 1_300, 2_200, 4_000, all], got: [0] },
  said: { label: [0], sent: [0, 60, 100, 160, 240, 360, 600, 1_000, 2_000, 4_000, all], got: [0] },
  announced: { label: [0], sent: [0, 0, 0, 60, 100, 160, 240, 360, 600, 1_000, all], got: [0] },
  edit: {
    label: [0, 40, 60, 90, 120, 150, 200, 240],
    sent: [0, 0, 0, 40, 80, 120, 180, 300, 500, 900, 2_000, all],
    got: [0],
  },
  command: {
    label: [0, 40, 60, 90, 120, 160, 200, 260, 340, 500, 800],
    sent: [0, 0, 0, 0, 0, 60, 120, 200, 400, 800, 2_000, all],
    got: [0, 0, 0, 0, 50, 90, 140, 240, 400, 800, 2_000, all],
  },
  call: {
    label: [50, 70, 90, 130, 180, 240, 300, 400],
    sent: [0, 0, 0, 60, 100, 160, 240, 400, 700, 1_200, 2_000, all],
    got: [0, 40, 60, 110, 170, 240, 340, 500, 800, 1_200, 2_000, all],
  },
  look: {
    label: [0, 0, 0, 40, 60, 80, 100, 130, 180, 260, 400],
    sent: [0, 0, 0, 0, 0, 0, 60, 120, 240, 500, 1_000, all],
    got: [0, 0, 0, 0, 0, 0, 100, 200, 400, 900, 2_000, all],
  },
  failed: {
    label: [0, 50, 80, 120, 160, 200, 260, 340],
    sent: [0, 0, 0, 0, 60, 100, 200, 300, 500, 1_000, 2_000, all],
    got: [80, 120, 160, 220, 220, 280, 380, 520, 800, 1_200, 2_000, all],
  },
  aside: { label: [0], sent: [0, 0, 0, 60, 100, 140, 200, 300, 500, 800, 1_200, 2_000], got: [0] },
};

/** What goes first where not even the least of everything fits: the lightest, oldest first. The user's words never go. */
export const lineWeights: { readonly [Kind in Weighed]: number } = {
  aside: 0,
  announced: 0,
  look: 1,
  command: 2,
  call: 2,
  edit: 3,
  failed: 4,
  said: 4,
  told: 6,
  answer: 9,
  user: 9,
};

export function weighedAs({ kind, hasFailed }: TimelineLine): Weighed {
  return hasFailed ? 'failed' : kind;
}

function capAt(caps: readonly number[], level: number): number {
  return caps[Math.min(level, caps.length - 1)] ?? 0;
}

/** An entry as the timeline shows it at a level; empty where nothing of it is shown. */
export function entryText({ recallId, lines }: TimelineEntry, level: number, root = ''): string {
  const texts = lines.map((line) => lineText(line, level, root)).filter((text) => text !== '');
  return texts.length === 0 ? '' : `${recallId} ${texts.join('\n  ')}`;
}

type LineTexts = {
  readonly [Kind in LineKind]: (line: TimelineLine, sent: string, got: string, label: string) => string;
};

const lineTexts: LineTexts = {
  // Word for word: nothing in it is moved.
  user: (_line, sent) =>
    lineBreak.test(sent) ? `USER:\n${quoted({ tag: 'words', text: sent })}` : `USER: ${sent}`,
  aside: (_line, sent) => (sent === '' ? '' : `(written by a tool) ${indented(sent)}`),
  told: (_line, sent) => indented(sent),
  said: (_line, sent) => indented(sent),
  announced: (_line, sent) => indented(sent),
  answer: (_line, sent, got, label) =>
    `${sent === '' ? label : `ASKED: ${indented(sent)}`}${got === '' ? '' : `\n  USER: ${indented(got)}`}`,
  edit: callText,
  command: callText,
  call: callText,
  look: callText,
};

function lineText(line: TimelineLine, level: number, root: string): string {
  const caps = levels[weighedAs(line)];
  const sent = shownOf(line, 'sent', capAt(caps.sent, level));
  const got = shownOf(line, 'got', capAt(caps.got, level));
  const text = lineTexts[line.kind];
  if (line.kind === 'user') return text(line, sent, got, '');
  const label = cutLabel(withoutRoot(line.label, root), capAt(caps.label, level));
  // An error is looked for by its exact words.
  return text(line, withoutRoot(sent, root), line.hasFailed ? got : withoutRoot(got, root), label);
}

// Pieces are made when they are asked for: where nothing is shown, nobody asks.
function shownOf(line: TimelineLine, side: 'sent' | 'got', most: number): string {
  return most === 0 ? '' : shownPieces(line[side], most);
}

function boundedOf(line: TimelineLine, side: 'sent' | 'got', most: number): readonly Piece[] {
  return most === 0 ? [] : boundedPieces(line[side], most);
}

/** Head and tail: what tells one command of many alike often stands at its end. */
function cutLabel(label: string, most: number): string {
  if (most === 0) return '';
  if (label.length <= most) return label;
  const tail = Math.floor(most * 0.4);
  return `${cutHead(label, most - tail - 1).trimEnd()}…${cutTail(label, tail).trimStart()}`;
}

function callText(line: TimelineLine, sent: string, got: string, label: string): string {
  if (label === '') return '';
  const content = sent === '' ? '' : `: ${indented(sent, 4)}`;
  return `${label}${line.hasFailed ? ' ✗' : ''}${content}${got === '' ? '' : ` → ${indented(got, 4)}`}`;
}

const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;
const lineBreaks = /[\n\r\v\f\u0085\u2028\u2029]+/;

/** No line of a text may look like the beginning of an entry, or like what the user said. */
function indented(text: string, by = 2): string {
  const lines = withoutMarks(text).split(lineBreaks);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(`\n${' '.repeat(by)}`);
}

// A label is kept longer than it is shown by as much as a folder that is named once may take from it.
const longestFolder = 160;

/** The entry without what is shown at no level up to this one; without lines where that is nothing. */
export function boundedEntry({ recallId, lines }: TimelineEntry, level: number): TimelineEntry {
  const bounded = lines.flatMap((line) => {
    const caps = levels[weighedAs(line)];
    if (lineText(line, level, '') === '') return [];
    const { kind, hasFailed } = line;
    return {
      kind,
      label: cutLabel(line.label, capAt(caps.label, level) + longestFolder),
      sent: boundedOf(line, 'sent', capAt(caps.sent, level)),
      got: boundedOf(line, 'got', capAt(caps.got, level)),
      ...(hasFailed ? { hasFailed } : {}),
    };
  });
  return { recallId, lines: bounded };
}
