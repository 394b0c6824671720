import { cutHead, cutTail } from '../text/cut-text.ts';
import { quoted, withoutMarks } from '../text/quote.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

/** An entry as the timeline shows it, with all of its lines and pieces; empty where there is nothing in it. */
export function timelineEntryText({ recallId, lines }: TimelineEntry, root = ''): string {
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
  aside: (_line, { label, sent }) =>
    sent === '' ? '' : `(${label || 'written by a tool'}) ${indented(sent)}`,
  // A summary that the client has made speaks as if it were the assistant now.
  instructions: (_line, { sent }) => (sent === '' ? '' : `(written by the client) ${indented(sent)}`),
  // Agents whose actions are text get what came of them in the user's place.
  output: ({ hasFailed }, { got }) => (got === '' ? '' : `${hasFailed ? '✗ ' : ''}→ ${indented(got, 4)}`),
  told: (_line, { sent }) => indented(sent),
  said: (_line, { sent }) => indented(sent),
  thought: (_line, { sent }) => (sent === '' ? '' : `(thought) ${indented(sent)}`),
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
    label: withoutRoot(line.label, root).replace(lineBreaksIn, ' '),
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
const lineBreaksIn = /[\n\r\v\f\u0085\u2028\u2029]+/g;

/**
 * No line of a text may look like the beginning of an entry, like what the user said or like the state; nor may what stands
 * under such a line.
 */
function indented(text: string, by = 2): string {
  let isForged = false;
  const lines = text.split(lineBreaksIn).flatMap((whole) => {
    const line = whole.trim();
    if (line === '') return [];
    const quotedLine = withoutMarks(line);
    const shown = isForged && quotedLine === line ? `> ${line}` : quotedLine;
    isForged ||= line.split(gap).some((part) => withoutMarks(part) !== part);
    return [shown];
  });
  return lines.join(`\n${' '.repeat(by)}`);
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

const absolutePath = /(?:^|[\s"'=(:])(\/(?:[\w.@+-]{1,100}\/){2,20})/g;
const leastUses = 4;
// Of the paths that are named.
const leastShare = 0.8;

/** The folder that most absolute paths in a timeline's calls lie in; empty where there is none. */
export function pathRoot(timeline: readonly TimelineEntry[]): string {
  const all: string[] = [];
  for (const { lines } of timeline)
    for (const { label } of lines)
      for (const [, folder = ''] of label.matchAll(absolutePath)) all.push(folder);
  // What is written aside in /tmp says nothing of where the project lies, unless it lies there itself.
  const outsideTmp = all.filter((folder) => !folder.startsWith('/tmp/'));
  const folders = outsideTmp.length < leastUses ? all : outsideTmp;
  if (folders.length < leastUses) return '';
  const uses = new Map<string, number>();
  for (const folder of folders) {
    for (let end = folder.indexOf('/', 1); end >= 0; end = folder.indexOf('/', end + 1)) {
      const parent = folder.slice(0, end + 1);
      uses.set(parent, (uses.get(parent) ?? 0) + 1);
    }
  }
  const common = [...uses].filter(
    ([path, count]) => count >= folders.length * leastShare && path.split('/').length > 3,
  );
  // The deepest folder that holds enough of them.
  return common.sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))[0]?.[0] ?? '';
}

/** A text in which paths below the root are relative to it: not the root itself, nor where it is the end of another path. */
export function withoutRoot(text: string, root: string): string {
  if (root === '' || !text.includes(root)) return text;
  let short = '';
  let from = 0;
  for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + root.length)) {
    const end = at + root.length;
    if ((at > 0 && !beforePath.test(text.charAt(at - 1))) || !inPath.test(text.charAt(end))) continue;
    short += text.slice(from, at);
    from = end;
  }
  return short + text.slice(from);
}

const beforePath = /[\s"'=(:,`[<>|;]/;
const inPath = /[\w.@+~-]/;

// Begins with a letter and ends behind a word: not the stars of a glob, a power or spread arguments.
const emphasis =
  /(?<![\p{L}\p{N}_/*`])\*\*(?=[\p{L}\p{N}])([^*\n`]{0,200}[\p{L}\p{N}.:!?)])\*\*(?![\p{L}\p{N}_/*`])/gu;

/** Bold letters say nothing more to a model, and cost two tokens. */
export function withoutEmphasis(text: string): string {
  return text.includes('**') ? text.replace(emphasis, '$1') : text;
}

// Whatever it begins to read it takes, also a text that does not end: a second look at it would cost as much again.
const jsonEnd = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|\s{0,99}[}\]][}\]\s]*,?/g;

/**
 * A JSON value says the same without its quotes and brackets. Where an object or a list ends a semicolon stands for the
 * comma, so that what follows is not read as a part of it.
 */
export function withoutQuotes(text: string): string {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return text;
  const parted = text.replace(jsonEnd, (found) =>
    !found.startsWith('"') && found.endsWith(',') ? ';' : found,
  );
  const lines = parted.replace(/[{}[\]"]/g, '').split('\n');
  return lines.filter((line) => !/^,?$/.test(line.trim())).join('\n');
}

const numberedLine = /^\s{0,9}(\d{1,7})(?:[→\t|]|:(?= |$) ?)/;
// A list or a table may count up, too: without the sign of a reader, and without lines that are indented, as code is.
const lineOfFile = /^\s{0,9}\d{1,7}(?:→|(?:[\t|]|: ?)(?:\s|$))/;
const leastLines = 5;

/**
 * A file as a tool shows it (`   12→text`, `12<tab>text`, `12: text`, `12|text`), without the numbers: they cost a quarter
 * of a line. Numbers that do not count up by one over five lines, or of which none is indented or empty (or stands behind
 * `→`), are those of a table, and stay.
 */
export function withoutLineNumbers(text: string): string {
  if (!/^\s{0,9}\d{1,7}[→\t|:]/m.test(text)) return text;
  const lines = text.split('\n');
  const numbers = lines.map((line) => Number(numberedLine.exec(line)?.[1] ?? Number.NaN));
  const countsUp = (at: number): boolean => numbers[at] === (numbers[at - 1] ?? Number.NaN) + 1;
  const inFile = lines.map((_, at) => countsUp(at) || countsUp(at + 1));
  const isFile = inFile.filter(Boolean).length >= leastLines && lines.some((line) => lineOfFile.test(line));
  if (!isFile) return text;
  return lines.map((line, at) => (inFile[at] ? line.replace(numberedLine, '') : line)).join('\n');
}
