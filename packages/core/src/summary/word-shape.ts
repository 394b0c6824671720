/**
 * What a fact is. `name`: a weak identifier (kebab-case, `utf8`, `input/output`). `variable`: an environment
 * variable or constant. `hash`: a commit, UUID or other opaque id.
 */
export type FactKind =
  | 'path'
  | 'file'
  | 'url'
  | 'identifier'
  | 'ticket'
  | 'variable'
  | 'hash'
  | 'flag'
  | 'version'
  | 'name'
  | 'number';

/** Receives the span `[start, end)` of one fact. Spans come in order and never overlap. */
export type FactVisitor = (start: number, end: number, kind: FactKind) => void;

// One bit per character class; a word's flags are the classes seen in it. 0 separates words.
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
export const DASH = 16;
export const DOT = 32;
export const SLASH = 64;
export const OTHER = 128;
export const CAPITALISED = LOWER | UPPER;

export const classes = new Uint8Array(65_536);
mark('az', LOWER);
mark('AZ', UPPER);
mark('09', DIGIT);
// Letters of alphabets that put spaces between words: Latin with accents, Greek, Cyrillic, Armenian, Hebrew, Arabic.
// Han, kana and Hangul separate: a path inside Japanese prose is found without the prose around it.
mark('\u00c0\u06ff', LOWER);
mark('__', UNDERSCORE);
mark('--', DASH);
mark('..', DOT);
mark('//', SLASH);
for (const other of '@~+') mark(other + other, OTHER);

function mark(range: string, bit: number): void {
  for (let code = range.charCodeAt(0); code <= range.charCodeAt(1); code++) classes[code] = bit;
}

/** One word being judged, and its measures. Reused from word to word. */
export interface Word {
  readonly text: string;
  readonly visit: FactVisitor;
  /** Counts of lower case, upper case and digits, ten bits each. */
  letters: number;
  /** Counts of dashes, dots and slashes, ten bits each. */
  marks: number;
  /** Classes seen. */
  flags: number;
  /** Changes from one class to another. */
  switches: number;
  /** Changes from lower to upper case. */
  humps: number;
}

// Two sums of packed counts cost less than eight counters in memory. Words are shorter than 2¹⁰.
const letterSteps = packed([LOWER, UPPER, DIGIT]);
const markSteps = packed([DASH, DOT, SLASH]);

function packed(bits: readonly number[]): Int32Array {
  const steps = new Int32Array(256);
  bits.forEach((bit, place) => (steps[bit] = 1 << (place * 10)));
  return steps;
}

/** Fills in the measures of the word at `[start, end)`. */
export function measure(word: Word, start: number, end: number): void {
  const { text } = word;
  let letters = 0;
  let marks = 0;
  let flags = 0;
  let switches = 0;
  let humps = 0;
  let previous = 0;
  for (let index = start; index < end;) {
    const bit = classes[text.charCodeAt(index)] as number;
    const first = index++;
    while (index < end && classes[text.charCodeAt(index)] === bit) index++;
    letters += (letterSteps[bit] as number) * (index - first);
    marks += (markSteps[bit] as number) * (index - first);
    flags |= bit;
    switches++;
    if (bit === UPPER && previous === LOWER) humps++;
    previous = bit;
  }
  word.letters = letters;
  word.marks = marks;
  word.flags = flags;
  word.switches = switches;
  word.humps = humps;
}

export function lowers({ letters }: Word): number {
  return letters & 1023;
}

export function uppers({ letters }: Word): number {
  return (letters >> 10) & 1023;
}

export function digitsOf({ letters }: Word): number {
  return letters >> 20;
}

export function dashesOf({ marks }: Word): number {
  return marks & 1023;
}

export function dotsOf({ marks }: Word): number {
  return (marks >> 10) & 1023;
}

export function slashesOf({ marks }: Word): number {
  return marks >> 20;
}

export function alphabeticOf(word: Word): number {
  return lowers(word) + uppers(word);
}
