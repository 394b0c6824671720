import type { Json, Path, WireEdit } from '../json/json.ts';
import { valueAt } from '../json/json.ts';
import type { MediaPart, ResultPart } from '../transcript/entry.ts';
import type { ChangeOfType, EditContext } from './edit-table.ts';

/** How a format writes the content of a result. */
export interface ResultShape {
  /** Place of the content in the wire message: a text or a list of blocks. */
  readonly contentAt: Path;
  readonly textBlock: (text: string) => { readonly [key: string]: Json };
}

/**
 * Makes the text pieces of a result one text. In a list the first text block carries it and keeps its other fields;
 * media and unknown blocks stay, untouched, only when `keepMedia`. Content of any other form becomes the text.
 */
export function editResult(
  change: ChangeOfType<'replace-result'>,
  context: EditContext,
  shape: ResultShape,
): readonly WireEdit[] {
  const { contentAt, textBlock } = shape;
  const content = valueAt(context.entry.wire, contentAt);
  if (!Array.isArray(content)) return [{ at: contentAt, set: change.text }];
  const texts = new Set(
    change.part.pieces.filter((piece) => piece.type === 'text').map((piece) => piece.at.at(-1)),
  );
  const first = content.findIndex((_, index) => texts.has(index));
  if (first < 0) {
    const kept = change.keepMedia ? keptBlocks(content as Json[], change.part, context, textBlock) : [];
    return [{ at: contentAt, set: [textBlock(change.text), ...kept] }];
  }
  const edits: WireEdit[] = [{ at: [...contentAt, first, 'text'], set: change.text }];
  for (let index = 0; index < content.length; index++) {
    if (index === first || (change.keepMedia && !texts.has(index))) continue;
    edits.push({ at: [...contentAt, index], remove: true });
  }
  return edits;
}

/** The whole list is written anew here, so media that is replaced in the same breath must be replaced in it. */
function keptBlocks(
  content: readonly Json[],
  part: ResultPart,
  { changes }: EditContext,
  textBlock: ResultShape['textBlock'],
): Json[] {
  const replaced = new Map<MediaPart, string>();
  for (const change of changes) if (change.type === 'replace-media') replaced.set(change.part, change.text);
  const kept = [...content];
  for (const piece of part.pieces) {
    const text = piece.type === 'media' ? replaced.get(piece) : undefined;
    const index = piece.at.at(-1);
    if (text !== undefined && typeof index === 'number') kept[index] = textBlock(text);
  }
  return kept;
}
