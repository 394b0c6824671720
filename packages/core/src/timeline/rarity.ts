import { wordsOf } from './novelty.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

/**
 * The entries with what was said in them weighed by how rare its words are. A sentence of words that stand everywhere ("all
 * of it is fixed now") tells a reader less than one that names what no other message does.
 */
export function weighedByRarity(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const told = entries.map(({ lines }) => lines.filter(({ kind }) => isTold[kind]).map(wordsOfLine));
  const spoken = told.filter(({ length }) => length > 0);
  if (spoken.length < fewestEntries) return [...entries];
  const rarity = rarityIn(spoken);
  return entries.map((entry, at) => ({ ...entry, lines: weighedLines(entry.lines, told[at] ?? [], rarity) }));
}

/** Of which the words are weighed: what a call was, wrote and got is weighed by its names, and a user's words all stand. */
const isTold: { readonly [Kind in LineKind]: boolean } = {
  told: true,
  said: true,
  thought: true,
  announced: true,
  aside: true,
  user: false,
  answer: false,
  edit: false,
  command: false,
  call: false,
  look: false,
};

/** The words of each sentence of a line. */
type LineWords = readonly (readonly string[])[];

function wordsOfLine({ sent }: TimelineLine): LineWords {
  return sent.map(({ text }) => wordsOf(text));
}

// Among fewer nothing is known of a word.
const fewestEntries = 8;
// In so large a part of the entries a word tells nothing: about a third of them.
const commonShare = Math.exp(-1);
// Rarer than this is as rare as can be: one entry of some 150.
const rarest = 4;
// A sentence with so much of it is worth what it was; four times as much of it is worth twice that.
const usualRarity = 10;

type Rarity = (word: string) => number;

/** 0 for a word of every third entry, up to `rarest` for one of a single entry, however few entries there are. */
function rarityIn(entries: readonly (readonly LineWords[])[]): Rarity {
  const uses = new Map<string, number>();
  for (const lines of entries) {
    for (const word of new Set(lines.flat(2))) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const common = entries.length * commonShare;
  const scale = rarest / Math.min(rarest, Math.log(common));
  return (word) => Math.min(rarest, Math.max(0, Math.log(common / (uses.get(word) ?? 1)) * scale));
}

function weighedLines(
  lines: readonly TimelineLine[],
  words: readonly LineWords[],
  rarity: Rarity,
): TimelineLine[] {
  let told = 0;
  return lines.map((line) => {
    if (!isTold[line.kind]) return line;
    const ofLine = words[told] ?? [];
    told += 1;
    return { ...line, sent: line.sent.map((piece, at) => weighed(piece, ofLine[at] ?? [], rarity)) };
  });
}

function weighed(piece: Piece, words: readonly string[], rarity: Rarity): Piece {
  if (piece.score <= 0) return piece;
  let sum = 1;
  for (const word of new Set(words)) sum += rarity(word);
  return { ...piece, score: rounded(piece.score * Math.sqrt(sum / usualRarity)) };
}

/** Scores are stored: three digits tell lines apart. */
function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
