/** Longest run of one kind of character that reaches the tokenizer whole, in UTF-16 code units. */
const longestRun = 256;

/** How far back from the limit a natural place to cut is looked for. */
const lookBack = 96;

const white = 1;
const digit = 2;
const mark = 3;
const letter = 4;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 32 || (code >= 9 && code <= 13)) return white;
  if (code >= 48 && code <= 57) return digit;
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return letter;
  return mark;
});

/**
 * Scripts beyond ASCII are not told apart here, so their marks may join ASCII marks to one run of the tokenizer:
 * whatever the kinds, no stretch without white space or digits is longer than this.
 */
export const longestStretch = 4 * longestRun;

/**
 * Cuts `text` into pieces that join to it again, none of which holds a run of one kind longer than
 * {@link longestRun}, or a stretch without white space and digits longer than {@link longestStretch}. Byte-pair
 * merging takes time in the square of such a run (a million equal letters: six minutes), and nothing else in a text
 * does. Text without such runs comes back whole; surrogate pairs stay whole.
 */
export function splitLongRuns(text: string): readonly string[] {
  if (text.length <= longestRun) return [text];
  const pieces: string[] = [];
  let pieceStart = 0;
  let runStart = 0;
  let runKind = 0;
  let stretchStart = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? (asciiKinds[code] ?? mark) : letter;
    if (kind === white || kind === digit) stretchStart = index + 1;
    if (kind !== runKind) {
      runKind = kind;
      runStart = index;
    }
    const isLong = kind !== digit && index - runStart >= longestRun;
    if (isLong || index - stretchStart >= longestStretch) {
      const cut = findCut(text, index);
      pieces.push(text.slice(pieceStart, cut));
      pieceStart = cut;
      runStart = Math.max(runStart, cut);
      stretchStart = cut;
    }
  }
  if (pieceStart === 0) return [text];
  pieces.push(text.slice(pieceStart));
  return pieces;
}

/** Beyond ASCII a "run" may hold punctuation, where a cut changes no token; else cut at the limit, on a code point. */
function findCut(text: string, limit: number): number {
  for (let index = limit; index > limit - lookBack; index--) {
    if (endsSentence(text.charCodeAt(index - 1))) return index;
  }
  const isPairSplit =
    (text.charCodeAt(limit) & 0xfc00) === 0xdc00 && (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800;
  return isPairSplit ? limit - 1 : limit;
}

/** CJK and full-width punctuation. */
function endsSentence(code: number): boolean {
  return (
    (code >= 0x3001 && code <= 0x3011) ||
    (code >= 0xff01 && code <= 0xff0f) ||
    code === 0xff1a ||
    code === 0xff1f
  );
}
