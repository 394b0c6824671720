import { cutHead } from './cut-text.ts';

const sentenceEnds = new Set([...'.!?。！？'].map((character) => character.charCodeAt(0)));
const lineFeed = 10;

/** A text as sentences and lines, each with the white space behind it: joined they are the text. Linear. */
export function splitSentences(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isStop = sentenceEnds.has(code) && (code > 0x2e7f || !(text.charCodeAt(index + 1) > 32));
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
