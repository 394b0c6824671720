import {
  alphabeticOf,
  CAPITALISED,
  classes,
  DASH,
  dashesOf,
  DIGIT,
  digitsOf,
  DOT,
  dotsOf,
  LOWER,
  lowers,
  measure,
  OTHER,
  SLASH,
  slashesOf,
  UNDERSCORE,
  UPPER,
  uppers,
} from './word-shape.ts';
import { extensionKind } from './fact-extensions.ts';
import type { FactKind, Word } from './word-shape.ts';

// Words made of these classes only need no measuring.
const simpleKinds: readonly (FactKind | undefined)[] = Array.from({ length: 256 }, (_, flags) => {
  if (flags === (LOWER | UNDERSCORE)) return 'identifier';
  if (flags === (UPPER | UNDERSCORE)) return 'variable';
  if (flags === CAPITALISED) return 'identifier';
  return undefined;
});

const maxWordLength = 260;
const maxIdentifierLength = 80;
const maxSimpleLength = 40;
const FULL_STOP = 46;

/**
 * Visits the facts in one word: a path, a name, a number, or the names between its dots. `flags`: the classes of its
 * characters, all of `[from, to)`.
 */
export function visitWord(word: Word, from: number, to: number, flags: number): void {
  const { text, visit } = word;
  const simple = simpleKinds[flags];
  if (simple !== undefined && to - from <= maxSimpleLength) return visit(from, to, simple);
  if (flags === DIGIT && to - from <= maxSimpleLength) {
    if (to - from > 2 && !isLineNumber(text, from, to)) visitNumber(word, from, to);
    return;
  }
  let start = from;
  let end = to;
  while (end > start && isEdge(text.charCodeAt(end - 1))) end--;
  // `</Tag>` and `//comment` are not paths.
  if (
    text.charCodeAt(start) === 47 &&
    (text.charCodeAt(start - 1) === 60 || text.charCodeAt(start + 1) === 47)
  )
    start++;
  while (start < end && isEdge(text.charCodeAt(start)) && !startsPath(text, start)) start++;
  if (end - start < 3 || end - start > maxWordLength) return;
  // Whole at its edges, its classes are known: most paths and dotted names need no measuring.
  const known = start === from && end === to && hasTwoLetters(text, start, end) ? flags : OTHER;
  if ((known & (SLASH | DOT | OTHER)) === (SLASH | DOT)) return visit(start, end, 'path');
  if ((known & (SLASH | DOT | OTHER)) === DOT) return visitNamed(word, start, end);
  measure(word, start, end);
  if ((word.flags & OTHER) !== 0 && text.slice(start, end).includes('+')) return;
  if (isBlob(word, end - start)) return;
  if (slashesOf(word) > 0) visitPath(word, start, end);
  else if (dotsOf(word) > 0) visitDotted(word, start, end);
  else visitPlain(word, start, end);
}

function hasTwoLetters(text: string, start: number, end: number): boolean {
  let letters = 0;
  for (let index = start; index < end && letters < 2; index++) {
    if (((classes[text.charCodeAt(index)] as number) & CAPITALISED) !== 0) letters++;
  }
  return letters === 2;
}

/** Dash, dot, slash, `+`, `@`, `~`: not part of a fact at its edge, unless they begin a path. */
function isEdge(code: number): boolean {
  return ((classes[code] ?? 0) & (DASH | DOT | SLASH | OTHER)) !== 0;
}

/** `/x`, `./x`, `../x`, `~/x`, `.x`, `@x`: here the leading character belongs to the fact. */
function startsPath(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 45 || code === 43) return false;
  const next = text.charCodeAt(at + 1);
  if (code === 46 && next === 46) return text.charCodeAt(at + 2) === 47;
  if (code === 126) return next === 47;
  return next === 47 ? code === 46 : !isEdge(next);
}

/** Base64 and the like change their class at every second character; names and paths do not. */
function isBlob(word: Word, length: number): boolean {
  return length > 40 && word.switches * 2.4 > length && dotsOf(word) === 0 && dashesOf(word) < 4;
}

function visitPath(word: Word, start: number, end: number): void {
  const { visit } = word;
  if (alphabeticOf(word) < 2) {
    if (hasNumber(word.text, start, end)) visit(start, end, 'number');
    return;
  }
  const first = word.text.charCodeAt(start);
  const isAnchored = first === 47 || first === 46 || first === 126 || first === 64;
  const isSure =
    (isAnchored && first !== 47) || slashesOf(word) > 1 || dotsOf(word) + (word.flags & UNDERSCORE) !== 0;
  visit(start, end, isSure || word.humps > 0 || digitsOf(word) > 0 ? 'path' : 'name');
}

function visitDotted(word: Word, start: number, end: number): void {
  const { text, visit } = word;
  if (alphabeticOf(word) < 2 && digitsOf(word) > 0) {
    if (dotsOf(word) > 1) visit(start, end, 'version');
    else if (hasNumber(text, start, end)) visit(start, end, 'number');
    return;
  }
  visitNamed(word, start, end, (word.flags & OTHER) !== 0);
}

/** A dotted word that is more than a number. */
function visitNamed(word: Word, start: number, end: number, hasOthers = false): void {
  const { text, visit } = word;
  let lastDot = end - 1;
  while (text.charCodeAt(lastDot) !== FULL_STOP) lastDot--;
  // `list.map(…)` is a call, `.map` behind a bracket a member.
  const isMember = text.charCodeAt(end) === 40 || (lastDot === start && !startsWord(text, start));
  const known = isMember ? undefined : extensionKind(text, lastDot + 1, end);
  if (known !== undefined) return visit(start, end, known);
  if (lastDot === start && !isMember) return visit(start, end, isDotFile(text, start) ? 'file' : 'name');
  if (hasOthers) return visit(start, end, 'identifier');
  if (isVersion(text, start)) return visit(start, end, 'version');
  visitSegments(word, start, end);
}

const dotFiles = [
  '.env',
  '.git',
  '.npm',
  '.docker',
  '.eslint',
  '.prettier',
  '.editor',
  '.bash',
  '.zsh',
  '.config',
  '.ssh',
];

function isDotFile(text: string, start: number): boolean {
  return dotFiles.some((prefix) => text.startsWith(prefix, start));
}

function startsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return at === 0 || code <= 32 || code === 34 || code === 39 || code === 96;
}

/** `config.maxTokens` is two names; each is judged alone. */
function visitSegments(word: Word, start: number, end: number): void {
  let from = start;
  for (let index = start; index <= end; index++) {
    if (index < end && word.text.charCodeAt(index) !== 46) continue;
    if (index - from > 2) {
      measure(word, from, index);
      visitPlain(word, from, index);
    }
    from = index + 1;
  }
}

function visitPlain(word: Word, start: number, end: number): void {
  const kind = plainKind(word, start, end);
  if (kind === undefined) return;
  if (kind === 'number') return visitNumber(word, start, end);
  const { text, visit } = word;
  if (kind === 'name' && text.charCodeAt(start - 1) === 45 && text.charCodeAt(start - 2) === 45) {
    return visit(start - 2, end, 'flag');
  }
  visit(start, end, kind);
}

function visitNumber({ text, visit }: Word, start: number, end: number): void {
  if (text.charCodeAt(start - 1) === 35) visit(start - 1, end, 'ticket');
  else visit(start, end, 'number');
}

function plainKind(word: Word, start: number, end: number): FactKind | undefined {
  const { text } = word;
  const length = end - start;
  const digits = digitsOf(word);
  const alphabetic = alphabeticOf(word);
  if (alphabetic === 0) {
    return digits > 2 && hasNumber(text, start, end) && !isLineNumber(text, start, end)
      ? 'number'
      : undefined;
  }
  if (length > maxIdentifierLength) return undefined;
  if (isTimestamp(word, length)) return 'number';
  if (digits > 0 && isHash(word, start, end)) return 'hash';
  if ((word.flags & OTHER) !== 0) return length > 5 ? 'identifier' : undefined;
  if ((word.flags & UNDERSCORE) !== 0)
    return lowers(word) === 0 ? 'variable' : alphabetic > 2 ? 'identifier' : undefined;
  if (word.humps > 0) return 'identifier';
  if (dashesOf(word) > 0) return isTicket(word) ? 'ticket' : 'name';
  if (uppers(word) > 1 && lowers(word) > 1) return 'identifier';
  if (text.charCodeAt(start - 1) === 45 && text.charCodeAt(start - 2) === 45) return 'name';
  return digits > 0 && length > 4 ? 'name' : undefined;
}

/** The number in front of a line of a listing, as `  203→` or `203\t`: it says where, and the next reading says it anew. */
function isLineNumber(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  if (next !== 0x2192 && next !== 9 && next !== 124) return false;
  let before = start - 1;
  while (before >= 0 && text.charCodeAt(before) === 32) before--;
  return before < 0 || text.charCodeAt(before) === 10;
}

/** `ABC-123`. */
function isTicket(word: Word): boolean {
  return word.switches === 3 && lowers(word) === 0 && dashesOf(word) === 1 && digitsOf(word) > 0;
}

/** `2026-11-21T03`. */
function isTimestamp(word: Word, length: number): boolean {
  return length > 7 && digitsOf(word) >= 8 && alphabeticOf(word) < 3 && dashesOf(word) === 2;
}

/** Hexadecimal of 7 characters and more with a digit and a letter, a UUID, or letters and digits mixed at random. */
function isHash(word: Word, start: number, end: number): boolean {
  const length = end - start;
  if (length > 11 && length < 72 && word.switches * 2 > length) return true;
  if (length < 7 || lowers(word) * uppers(word) + (word.flags & UNDERSCORE) !== 0) return false;
  const dashes = dashesOf(word);
  if (dashes > 0 && (dashes !== 4 || length !== 36)) return false;
  for (let index = start; index < end; index++) {
    const code = word.text.charCodeAt(index) | 32;
    if (code > 102 || (code > 57 && code < 97)) return false;
  }
  return true;
}

function isVersion(text: string, start: number): boolean {
  const at = (text.charCodeAt(start) | 32) === 118 ? start + 1 : start;
  const bit = classes[text.charCodeAt(at)] ?? 0;
  return bit === DIGIT;
}

/** Three digits in a row. */
function hasNumber(text: string, start: number, end: number): boolean {
  let run = 0;
  for (let index = start; index < end; index++) {
    run = classes[text.charCodeAt(index)] === DIGIT ? run + 1 : 0;
    if (run === 3) return true;
  }
  return false;
}
