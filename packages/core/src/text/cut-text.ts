const headShare = 0.6;

/**
 * About `keepChars` characters of a text, never more: its head, a note, its tail. Cut on code points, at line ends
 * where one is near, so never through a surrogate pair; lone surrogates become U+FFFD.
 */
export function cutMiddle(text: string, keepChars: number, note: (leftOutChars: number) => string): string {
  if (text.length <= keepChars) return text.toWellFormed();
  const headEnd = cutBack(text, Math.ceil(keepChars * headShare));
  const tailStart = cutForward(text, text.length - Math.floor(keepChars * (1 - headShare)));
  const head = text.slice(0, headEnd);
  const tail = text.slice(tailStart);
  const before = head === '' || head.endsWith('\n') ? '' : '\n';
  const after = tail === '' || tail.startsWith('\n') ? '' : '\n';
  return `${head}${before}${note(tailStart - headEnd)}${after}${tail}`.toWellFormed();
}

/** The first `maxChars` characters at most, cut on a code point. */
export function cutHead(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : text.slice(0, codePointBorder(text, Math.max(0, maxChars)));
}

/** The last `maxChars` characters at most, cut on a code point. */
export function cutTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.length - Math.max(0, maxChars);
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

// Not a single space, which would only be put in its own place.
const spaces = / [\s\u0085]+|[^\S ][\s\u0085]*|\u0085[\s\u0085]*/g;

/** The first `maxChars` characters of one line of text, white space collapsed, with `…` when there was more. */
export function oneLine(text: string, maxChars: number): string {
  const collapsed = cutHead(text, maxChars * 4)
    .replace(spaces, ' ')
    .trim();
  const isWhole = collapsed.length <= maxChars && text.length <= maxChars * 4;
  return (isWhole ? collapsed : `${cutHead(collapsed, maxChars - 1).trimEnd()}…`).toWellFormed();
}

const rulers = /^[=_*!~-]{4,}\s{0,9}(?=[\p{L}\p{N}])|(?<=[^\s=_*!~-])\s{0,9}[=_*!~-]{4,}$/gu;

/** `==== 2 failed in 1.5s ====` without what only draws a line. */
export function withoutRulers(line: string): string {
  return line.length < longestRuled ? line.replace(rulers, '') : line;
}

const longestRuled = 400;

/** Estimated tokens of a text. */
export type Count = (text: string) => number;

/** Cuts `text` so that `count` stays within `maxTokens`, at a line end; a first line that is too long is cut too. */
export function cutLinesTo(text: string, maxTokens: number, count: Count): string {
  if (count(text) <= maxTokens) return text;
  let low = 0;
  // No estimator finds fewer tokens than one in 40 characters of anything worth keeping.
  let high = Math.min(text.length, Math.ceil(maxTokens * 40) + 1);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (count(cutHead(text, middle)) <= maxTokens) low = middle;
    else high = middle;
  }
  const head = cutHead(text, low);
  const lineEnd = head.lastIndexOf('\n');
  return (lineEnd > 0 ? head.slice(0, lineEnd) : head).trimEnd();
}

function cutBack(text: string, at: number): number {
  const lineEnd = text.lastIndexOf('\n', at - 1);
  return lineEnd > at * 0.8 ? lineEnd + 1 : codePointBorder(text, at);
}

function cutForward(text: string, at: number): number {
  const lineEnd = text.indexOf('\n', at);
  const isNear = lineEnd >= 0 && lineEnd - at < (text.length - at) * 0.2;
  return isNear ? lineEnd + 1 : isInsidePair(text, at) ? at + 1 : at;
}

/** The nearest border between code points at or before `at`. */
function codePointBorder(text: string, at: number): number {
  return isInsidePair(text, at) ? at - 1 : at;
}

function isInsidePair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff);
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}

/** Whether a text holds a letter or a digit of any script. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

const lineFeed = 10;
const otherEnds = [...'。！？'].map((character) => character.charCodeAt(0));

/** Whether a sentence ends at a place: at a full stop before white space, or in scripts that need none. */
export function isSentenceEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // `.`, `!` and `?`: of every character this is asked.
  if (code === 46 || code === 33 || code === 63)
    return !(text.charCodeAt(at + 1) > 32) && !(code === 46 && isAbbreviated(text, at));
  return code > 0x2e7f && otherEnds.includes(code);
}

const longestAbbreviation = 8;
const abbreviated = /(?<![\p{L}\p{N}])(?:e\.\s?g|i\.\s?e|z\.\s?B|d\.\s?h|vs|cf|bzw)$/u;
// `No. 5`, but "No. I did not."; the first half of `z. B.`; and `etc.` where the sentence goes on.
const abbreviatedBefore =
  /(?<![\p{L}\p{N}])(?:(?:No|Nr|Fig|approx|ca|pp?)\. \d|z\. B|d\. h|(?:etc|approx|ca)\. \p{Ll})$/u;

/** Whether the full stop at a place is that of `e.g.`, `vs.` or the like, with more of its sentence behind it. */
function isAbbreviated(text: string, at: number): boolean {
  if (text.charCodeAt(at + 1) !== 32) return false;
  const start = Math.max(0, at - longestAbbreviation);
  return abbreviated.test(text.slice(start, at)) || abbreviatedBefore.test(text.slice(start, at + 3));
}

/** A text as sentences and lines, each with the white space behind it: joined they are the text. Linear. */
export function splitSentences(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isStop = isSentenceEnd(text, index);
    if (code !== lineFeed && !isStop) continue;
    // The number of a list item, or a lone bracket, is no sentence.
    if (isStop && index - start < 4) continue;
    let end = index + 1;
    while (end < text.length && text.charCodeAt(end) <= 32) end += 1;
    pushSentence(text.slice(start, end), pieces);
    start = end;
    index = end - 1;
  }
  if (start < text.length) pushSentence(text.slice(start), pieces);
  return pieces;
}

const longestSentence = 400;

/** A longer sentence is cut between words. */
function pushSentence(sentence: string, pieces: string[]): void {
  let start = 0;
  while (sentence.length - start > longestSentence) {
    const head = cutHead(sentence.slice(start, start + longestSentence + 1), longestSentence);
    const space = head.lastIndexOf(' ');
    const end = start + (space > longestSentence / 2 ? space + 1 : head.length);
    pieces.push(sentence.slice(start, end));
    start = end;
  }
  pieces.push(sentence.slice(start));
}

const longestLine = 220;
const joints = /[,;}\]>]\s?/g;

/** A text as lines without their outer white space; a long line, as JSON often is, at its commas and brackets. */
export function splitLines(text: string): string[] {
  const pieces: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '') continue;
    if (line.length <= longestLine) pieces.push(`${line}\n`);
    else splitLine(line, pieces);
  }
  return pieces;
}

function splitLine(line: string, pieces: string[]): void {
  let start = 0;
  while (line.length - start > longestLine) {
    const end = start + jointBefore(line.slice(start, start + longestLine + 1));
    pieces.push(line.slice(start, end));
    start = end;
  }
  pieces.push(`${line.slice(start)}\n`);
}

function jointBefore(longer: string): number {
  const head = cutHead(longer, longestLine);
  let end = 0;
  for (const match of head.matchAll(joints)) if (match.index > 60) end = match.index + match[0].length;
  return end > 0 ? end : head.length;
}
