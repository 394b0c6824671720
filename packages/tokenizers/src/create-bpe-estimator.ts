import type { Estimator } from '@throughline/core';

/** Vocabularies that can be counted exactly. */
export type BpeEncoding = 'o200k_base' | 'cl100k_base';

interface Vocabulary {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number;
  readonly clearMergeCache: () => void;
}

/** Loaded when first asked for: a vocabulary takes about 0.1 s and 60 to 100 MB. */
const loaders: Readonly<Record<BpeEncoding, () => Promise<Vocabulary>>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

/** The cache of merges holds 100 000 pieces; once it is full each further piece costs eight times as much. */
const charactersPerCache = 300_000;

/**
 * An estimator that counts with the byte-pair encoding of OpenAI's models: `o200k_base` since GPT-4o, `cl100k_base`
 * before. Exact on ordinary text; time is linear in the length of any text: runs of more than 256 characters of one
 * kind are cut, and of stretches of more than 8 192 characters without white space samples are counted. The names of
 * special tokens count as the text they are.
 */
export async function createBpeEstimator(encoding: BpeEncoding): Promise<Estimator> {
  const { countTokens, clearMergeCache } = await loaders[encoding]();
  let cachedCharacters = 0;
  const asText = { disallowedSpecial: new Set<string>() };
  return {
    name: encoding,
    count(text) {
      let tokens = 0;
      for (const sample of sampleOpaque(text)) {
        cachedCharacters += sample.text.length;
        if (cachedCharacters > charactersPerCache) {
          clearMergeCache();
          cachedCharacters = sample.text.length;
        }
        for (const piece of splitLongRuns(sample.text)) tokens += countTokens(piece, asText) * sample.weight;
      }
      return tokens;
    },
  };
}

/**
 * The same estimator, `share` higher: for a vocabulary that is not the model's own. `share` is a fraction ≥ 0.
 *
 * @default 0.1
 */
export function withMargin(estimator: Estimator, share = 0.1): Estimator {
  const factor = 1 + share;
  return {
    name: `${estimator.name} + ${Math.round(share * 100)} %`,
    count: (text) => estimator.count(text) * factor,
  };
}

/** Longest stretch without white space that is counted whole, in UTF-16 code units. */
export const longestUnbroken = 8_192;

const windowLength = 512;
const windows = 16;

/** A part of a text; `weight` is how many times as long the stretch is that it stands for. */
interface Sample {
  readonly text: string;
  readonly weight: number;
}

/**
 * Covers `text` by samples whose lengths × weights add up to its length. Everything is a sample of weight 1 except
 * stretches of more than {@link longestUnbroken} characters without white space (base64, minified bundles, hex):
 * of those, 16 windows of 512 characters stand for the whole. Such text costs a byte-pair encoder ten times as much
 * as prose, and is so uniform that counting it whole tells little more.
 */
export function sampleOpaque(text: string): readonly Sample[] {
  if (text.length <= longestUnbroken) return [{ text, weight: 1 }];
  const samples: Sample[] = [];
  let wholeStart = 0;
  let unbrokenStart = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !isWhite(text.charCodeAt(index))) continue;
    if (index - unbrokenStart > longestUnbroken) {
      if (unbrokenStart > wholeStart)
        samples.push({ text: text.slice(wholeStart, unbrokenStart), weight: 1 });
      addWindows(text, unbrokenStart, index, samples);
      wholeStart = index;
    }
    unbrokenStart = index + 1;
  }
  if (wholeStart < text.length) samples.push({ text: text.slice(wholeStart), weight: 1 });
  return samples;
}

function addWindows(text: string, start: number, end: number, samples: Sample[]): void {
  const weight = (end - start) / (windows * windowLength);
  const lastStart = end - windowLength;
  for (let number = 0; number < windows; number++) {
    const from = start + Math.floor(((lastStart - start) * number) / (windows - 1));
    samples.push({ text: text.slice(from, from + windowLength), weight });
  }
}

function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

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
