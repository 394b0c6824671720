import { CAPITALISED, classes, DIGIT, DOT, LOWER, UPPER } from './word-shape.ts';
import { visitWord } from './visit-word.ts';
import type { FactVisitor, Word } from './word-shape.ts';

// Words of one case, or of punctuation only, are never facts; most words end here.
const canBeFact = new Uint8Array(256);
for (let flags = 0; flags < 256; flags++) {
  const isPlain = flags === LOWER || flags === UPPER || (flags & (LOWER | UPPER | DIGIT)) === 0;
  canBeFact[flags] = isPlain ? 0 : 1;
}

const maxUrlLength = 400;
const COLON = 58;
const FULL_STOP = 46;

/**
 * Finds what later steps may need to name again: paths, file names, URLs, hashes, tickets, identifiers of more than
 * one word, environment variables, flags, versions and numbers of 3 digits and more.
 *
 * One pass, linear on anything; base64 and other blobs are skipped. Spans never overlap. Only what begins and ends in
 * `[first, length)` is found, which are borders between words.
 */
export function findFacts(text: string, visit: FactVisitor, first = 0, length = text.length): void {
  const word: Word = { text, visit, letters: 0, marks: 0, flags: 0, switches: 0, humps: 0 };
  let index = first;
  while (index < length) {
    let flags = classes[text.charCodeAt(index)] as number;
    if (flags === 0) {
      index++;
      continue;
    }
    const start = index++;
    while (index < length) {
      const bit = classes[text.charCodeAt(index)] as number;
      if (bit === 0) break;
      flags |= bit;
      index++;
    }
    if (flags === LOWER || flags === UPPER) {
      // An address begins with a plain word and a colon.
      if (text.charCodeAt(index) === COLON) index = visitAddress(text, start, index, visit);
    } else if (canBeFact[flags] === 1 && index - start > 2) {
      const end = text.charCodeAt(index - 1) === FULL_STOP ? index - 1 : index;
      const seen = end < index && text.indexOf('.', start) === end ? flags & ~DOT : flags;
      if (canBeFact[seen] === 0) continue;
      if (seen !== CAPITALISED || hasHump(text, start, end)) visitWord(word, start, end, seen);
    }
  }
}

/** Tells `camelCase` and `HTTPServer` from `Word`, and from `URLs`. */
function hasHump(text: string, start: number, end: number): boolean {
  if (classes[text.charCodeAt(start)] === LOWER) return true;
  let capitals = 0;
  for (let index = start; index < end; index++) if (classes[text.charCodeAt(index)] === UPPER) capitals++;
  return capitals > 1 && (end - start - capitals > 1 || classes[text.charCodeAt(end - 1)] === UPPER);
}

/** Visits an address whose colon stands at `colon`; returns where it ends, or `colon`. */
function visitAddress(text: string, start: number, colon: number, visit: FactVisitor): number {
  const end = endOfAddress(text, start, colon);
  if (end === colon) return colon;
  if (end - start <= maxUrlLength) visit(start, end, text.charCodeAt(colon + 1) === 47 ? 'url' : 'path');
  return end;
}

/** `https://…` or `C:\…` from its colon on; `colon` itself when it is neither. */
function endOfAddress(text: string, start: number, colon: number): number {
  const isUrl = text.startsWith('//', colon + 1) && colon - start > 1 && colon - start < 16;
  const isDrive = colon - start === 1 && text.charCodeAt(colon + 1) === 92;
  if (!isUrl && !isDrive) return colon;
  let end = colon + 1;
  while (end < text.length && !endsFact(text.charCodeAt(end))) end++;
  while (end > colon && trailing.includes(text.charAt(end - 1))) end--;
  return end > colon + 3 ? end : colon;
}

const trailing = '.,;:!?\'")]}*_\\/';
const addressEnds = new Set([...' \t\r\n"\'<>`|{}^()'].map((character) => character.charCodeAt(0)));

/** Where an address ends, and any other fact. */
export function endsFact(code: number): boolean {
  return code < 33 || code > 0x2e7f || addressEnds.has(code);
}
