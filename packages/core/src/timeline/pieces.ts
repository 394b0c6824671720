import { cutHead, cutTail } from '../text/cut-text.ts';
import type { Piece } from '../transcript/timeline.ts';

const gap = ' … ';
const leastCharacters = 12;

/** What of a text is shown in so many characters: its best pieces, in their order, with `…` where others lay between. */
export function shownPieces(pieces: readonly Piece[], maxCharacters: number): string {
  if (lengthOf(pieces) <= maxCharacters) return joined(pieces);
  if (maxCharacters < leastCharacters) return '';
  const kept = bestPieces(pieces, maxCharacters);
  if (kept.length > 0) return joined(kept);
  const longest = pieces.reduce((best, piece) => (piece.score > best.score ? piece : best));
  return cutBoth(longest.text, maxCharacters);
}

/** The pieces that may still be shown where there is never more room than this: the others are forgotten. */
export function boundedPieces(pieces: readonly Piece[], maxCharacters: number): readonly Piece[] {
  if (lengthOf(pieces) <= maxCharacters) return pieces;
  if (maxCharacters < leastCharacters) return [];
  const kept = bestPieces(pieces, maxCharacters);
  if (kept.length > 0) return kept;
  return [{ text: shownPieces(pieces, maxCharacters), score: 1 }];
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/** In their order; each knows whether something was left out in front of it. */
function bestPieces(pieces: readonly Piece[], maxCharacters: number): Piece[] {
  const order = pieces.map((_, index) => index);
  order.sort((a, b) => (pieces[b]?.score ?? 0) - (pieces[a]?.score ?? 0) || a - b);
  const kept = new Set<number>();
  let left = maxCharacters;
  for (const index of order) {
    // What says nothing by itself is only shown where all is.
    if ((pieces[index]?.score ?? 0) < 0) break;
    const cost = (pieces[index]?.text.length ?? 0) + (kept.has(index - 1) ? 0 : gap.length);
    if (cost > left) continue;
    kept.add(index);
    left -= cost;
  }
  return pieces.flatMap((piece, index) => {
    if (!kept.has(index)) return [];
    return kept.has(index - 1) || index === 0 ? [piece] : [{ ...piece, isAfterGap: true as const }];
  });
}

function joined(pieces: readonly Piece[]): string {
  let text = '';
  for (const { text: piece, isAfterGap } of pieces) {
    text = isAfterGap ? `${text.trimEnd()}${gap}${piece.trimStart()}` : text + piece;
  }
  return text.trim();
}

/** Head and tail of one piece that is too long by itself. */
function cutBoth(text: string, maxCharacters: number): string {
  const plain = text.trim();
  if (plain.length <= maxCharacters) return plain;
  const tail = maxCharacters > 240 ? Math.floor(maxCharacters * 0.3) : 0;
  const head = cutHead(plain, maxCharacters - tail - 1).trimEnd();
  return `${head}…${tail > 0 ? cutTail(plain, tail).trimStart() : ''}`;
}
