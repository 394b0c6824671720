import { remembered } from '../transcript/memory.ts';
import type { Piece } from '../transcript/summary.ts';

/**
 * What of a text must be shown with each of its pieces, by places: of a point in a list the line that leads to the list,
 * and the point that it stands below; of what goes on with a point its beginning. `undefined` where a piece stands alone.
 */
export const headsOf = remembered((pieces: readonly Piece[]): readonly (number | undefined)[] => {
  const heads: (number | undefined)[] = [];
  /** What leads to the points that follow, and the points that are open, by how far they are indented. */
  let leader: number | undefined;
  let open: { readonly at: number; readonly indent: number }[] = [];
  let begun: number | undefined;
  for (const [at, { text }] of pieces.entries()) {
    const isLineStart = at === 0 || pieces[at - 1]?.text.endsWith('\n') === true;
    const point = isLineStart ? pointMark.exec(text) : null;
    if (point) {
      const indent = point[1]?.length ?? 0;
      open = open.filter((one) => one.indent < indent);
      heads.push(shortOrNone(pieces, open.at(-1)?.at ?? leader));
      open.push({ at, indent });
      begun = at;
    } else if (isLineStart && text.trim() !== '') {
      const isIndented = /^\s{2,}\S/.test(text) && open.length > 0;
      heads.push(isIndented ? shortOrNone(pieces, open.at(-1)?.at) : undefined);
      if (!isIndented) [open, leader] = [[], leadsOn(text) ? at : undefined];
      begun = isIndented ? open.at(-1)?.at : undefined;
    } else heads.push(text.trim() === '' ? undefined : shortOrNone(pieces, begun));
  }
  return heads;
});

/** Whether a piece says nothing by itself: it names what the points below it are. */
export function isHeading({ text }: Piece): boolean {
  return /^\s{0,3}#{1,6}\s/.test(text) || /[:：]\s*$/.test(text);
}

const pointMark = /^(\s{0,20})(?:[-*•+]|\d{1,3}[.)])\s/;
const longestHead = 100;
const longestTitle = 60;

/** A heading, a line that ends in a colon, or a short line that is no sentence, as bold ones are. */
function leadsOn(text: string): boolean {
  const line = text.trim();
  return line.length <= longestHead && (isHeading({ text, score: 0 }) || isTitle(line));
}

function isTitle(line: string): boolean {
  return line.length <= longestTitle && !/[.!?。！？…,;]$/.test(line);
}

function shortOrNone(pieces: readonly Piece[], at: number | undefined): number | undefined {
  return at !== undefined && (pieces[at]?.text.length ?? Infinity) <= longestHead ? at : undefined;
}
