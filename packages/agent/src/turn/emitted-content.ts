import { limitText } from '../tools/limit-text.ts';
import type { ResultContent } from '../tools/tool.ts';

/** Of one text of a result. Enough to look at; the history has the whole. */
const mostEmittedChars = 8_000;

/**
 * What an event tells of a result: long texts at head and tail, so that a journal is not a second history. The same list
 * where nothing is long.
 */
export function emittedContent(content: readonly ResultContent[]): readonly ResultContent[] {
  if (content.every((piece) => piece.type !== 'text' || piece.text.length <= mostEmittedChars))
    return content;
  return content.map((piece) =>
    piece.type === 'text'
      ? { ...piece, text: limitText(piece.text, { maxOutputChars: mostEmittedChars }, ' of this event') }
      : piece,
  );
}
