import { wordsOf } from './novelty.ts';
import type { Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

/**
 * The entries with what their pieces say weighed by how rare its words are among these entries. A sentence of words that
 * stand everywhere ("all of it is fixed now") tells a reader less than one that names what no other message does.
 */
export function weighedByRarity(entries: readonly TimelineEntry[]): TimelineEntry[] {
  if (entries.length < fewestEntries) return [...entries];
  const rarity = rarityIn(entries);
  const weighed = (piece: Piece): Piece =>
    piece.score <= 0 ? piece : { ...piece, score: rounded(piece.score * worthOf(piece.text, rarity)) };
  const weighedLine = (line: TimelineLine): TimelineLine =>
    line.kind === 'user' ? line : { ...line, sent: line.sent.map(weighed), got: line.got.map(weighed) };
  return entries.map((entry) => ({ ...entry, lines: entry.lines.map(weighedLine) }));
}

type Rarity = (word: string) => number;

// Among fewer nothing is known of a word.
const fewestEntries = 8;
// In so large a part of the entries a word tells nothing: about a third of them.
const commonShare = Math.exp(-1);
// Rarer than this is as rare as can be: one entry of some 150.
const rarest = 4;
// A sentence with so much of it is worth what it was; four times as much of it is worth twice that.
const usualRarity = 10;

/** 0 for a word of every third entry, up to `rarest` for one of a single entry, however few entries there are. */
function rarityIn(entries: readonly TimelineEntry[]): Rarity {
  const uses = new Map<string, number>();
  for (const entry of entries) {
    for (const word of new Set(entry.lines.flatMap(lineWords))) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const common = entries.length * commonShare;
  const scale = rarest / Math.min(rarest, Math.log(common));
  return (word) => {
    const rare = Math.log(common / (uses.get(word) ?? 1)) * scale;
    return Math.min(rarest, Math.max(0, rare));
  };
}

function lineWords({ label, sent, got }: TimelineLine): string[] {
  return [label, ...sent.map(({ text }) => text), ...got.map(({ text }) => text)].flatMap(wordsOf);
}

function worthOf(text: string, rarity: Rarity): number {
  let sum = 1;
  for (const word of new Set(wordsOf(text))) sum += rarity(word);
  return Math.sqrt(sum / usualRarity);
}

/** Scores are stored: three digits tell lines apart. */
function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
