import { cutHead, cutTail } from '../text/cut-text.ts';
import { withoutRoot } from './path-root.ts';
import { withoutMarks } from '../text/neutral.ts';
import { quoted } from '../text/quoted.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/timeline.ts';

/** An entry as the timeline shows it, with all of its lines and pieces; empty where there is nothing in it. */
export function entryText({ recallId, lines }: TimelineEntry, root = ''): string {
  const texts = lines.map((line) => lineText(line, root)).filter((text) => text !== '');
  return texts.length === 0 ? '' : `${recallId} ${texts.join('\n  ')}`;
}

type LineTexts = { readonly [Kind in LineKind]: (line: TimelineLine, texts: SideTexts) => string };

interface SideTexts {
  readonly label: string;
  readonly sent: string;
  readonly got: string;
}

const lineTexts: LineTexts = {
  // Word for word: nothing in it is moved.
  user: (_line, { sent }) =>
    lineBreak.test(sent) ? `USER:\n${quoted({ tag: 'words', text: sent })}` : `USER: ${sent}`,
  aside: (_line, { sent }) => (sent === '' ? '' : `(written by a tool) ${indented(sent)}`),
  told: (_line, { sent }) => indented(sent),
  said: (_line, { sent }) => indented(sent),
  announced: (_line, { sent }) => indented(sent),
  answer: (_line, { label, sent, got }) =>
    `${sent === '' ? label : `ASKED: ${indented(sent)}`}${got === '' ? '' : `\n  USER: ${indented(got)}`}`,
  edit: callText,
  command: callText,
  call: callText,
  look: callText,
};

function lineText(line: TimelineLine, root: string): string {
  const text = lineTexts[line.kind];
  const sent = joined(line.sent);
  const got = joined(line.got);
  if (line.kind === 'user') return text(line, { label: '', sent, got });
  return text(line, {
    label: withoutRoot(line.label, root),
    sent: withoutRoot(sent, root),
    // An error is looked for by its exact words.
    got: line.hasFailed ? got : withoutRoot(got, root),
  });
}

function callText({ hasFailed }: TimelineLine, { label, sent, got }: SideTexts): string {
  const content = sent === '' ? '' : `: ${indented(sent, 4)}`;
  return `${label}${hasFailed ? ' ✗' : ''}${content}${got === '' ? '' : ` → ${indented(got, 4)}`}`;
}

const gap = ' … ';

function joined(pieces: readonly Piece[]): string {
  let text = '';
  for (const { text: piece, isAfterGap } of pieces) {
    text = isAfterGap ? `${text.trimEnd()}${gap}${piece.trimStart()}` : text + piece;
  }
  return text.trim();
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

// Of a longer label the ends are shown first.
const labelHead = 90;
const labelTail = 50;
export const shortLabelCharacters = labelHead + labelTail;

/** Head and tail: what tells one command of many alike often stands at its end. */
export function shortLabel(label: string, root: string): string {
  const plain = withoutRoot(label, root);
  if (plain.length <= shortLabelCharacters) return plain;
  return `${cutHead(plain, labelHead).trimEnd()}…${cutTail(plain, labelTail).trimStart()}`;
}
