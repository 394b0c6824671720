import type { Json, Path, WireEdit } from '../json/json.ts';
import { isObject, parseJson, textEdits, valueAt } from '../json/json.ts';
import { editText } from '../json/edit-object.ts';
import { writeJson } from '../json/write-json.ts';
import type { Entry, MediaPart, ResultPart, TextPart } from '../transcript/entry.ts';
import type { PartChange } from './codec.ts';
import { textBlock } from './neutral-parts.ts';

export type ChangeOfType<Type extends PartChange['type']> = Extract<PartChange, { type: Type }>;

/** A message, and all changes that are made to it together. */
export interface EditContext {
  readonly entry: Entry;
  readonly changes: readonly PartChange[];
}

/** How one format carries out each change. A change that the format cannot carry out gives no edits. */
export type EditTable = { readonly [Type in PartChange['type']]: Edit<Type> };

type Edit<Type extends PartChange['type']> = (
  change: ChangeOfType<Type>,
  context: EditContext,
) => readonly WireEdit[];

/** What to do with a list under this name when all its elements go: formats refuse most empty lists. */
type EmptiedLists = ReadonlyMap<string, WireEdit>;

/**
 * The edits of all changes by the table, made free of overlaps: of two edits of one place a removal wins, else the
 * later one; an edit below the place of another is left out.
 */
export function editWith(
  table: EditTable,
  context: EditContext,
  emptied?: EmptiedLists,
): readonly WireEdit[] {
  if (context.changes.length === 0) return [];
  const edits = context.changes.flatMap((change) =>
    (table[change.type] as Edit<PartChange['type']>)(change, context),
  );
  const separate = withoutOverlaps(edits);
  return emptied ? withEmptiedLists(context.entry.wire, separate, emptied) : separate;
}

function withoutOverlaps(edits: readonly WireEdit[]): WireEdit[] {
  if (edits.length === 1) return [...edits];
  const byPlace = new Map<string, WireEdit>();
  for (const edit of edits) {
    const place = placeOf(edit.at, edit.at.length);
    const earlier = byPlace.get(place);
    if (!earlier || 'set' in earlier) byPlace.set(place, edit);
  }
  return [...byPlace.values()].filter(({ at }) => {
    for (let length = 0; length < at.length; length++) if (byPlace.has(placeOf(at, length))) return false;
    return true;
  });
}

function placeOf(at: Path, length: number): string {
  return JSON.stringify(at.slice(0, length));
}

function withEmptiedLists(
  wire: unknown,
  edits: readonly WireEdit[],
  emptied: EmptiedLists,
): readonly WireEdit[] {
  let result = edits;
  for (const [name, instead] of emptied) {
    const list = valueAt(wire, [name]);
    if (!Array.isArray(list) || list.length === 0) continue;
    const isRemoval = (edit: WireEdit): boolean =>
      edit.at.length === 2 && edit.at[0] === name && !('set' in edit) && typeof edit.at[1] === 'number';
    if (result.filter(isRemoval).length < list.length) continue;
    result = [...result.filter((edit) => !isRemoval(edit)), instead];
  }
  return result;
}

/** The one edit that takes the part at `at` out of its list or object. */
export function removeAt(at: Path): readonly WireEdit[] {
  return [{ at, remove: true }];
}

/**
 * Replaces values inside a call's arguments by strings. Places that hold no string are left alone, unless the text stands
 * for a run of members. Arguments that came as JSON text stay JSON text: only the given values change. A text that does not
 * parse has no places but itself: an object, which every format takes, stands in its place.
 */
export function editArguments({ part, values }: ChangeOfType<'replace-arguments'>): readonly WireEdit[] {
  const { input } = part;
  const value = input.type === 'value' ? input.value : parseJson(input.text);
  if (input.type === 'text' && value === undefined) {
    const whole = values.find(({ at }) => at.length === 0);
    return whole ? [{ at: input.at, set: writeJson({ input: whole.text }) }] : [];
  }
  const edits = values.flatMap((argument) => textEdits(value, argument));
  if (edits.length === 0) return [];
  if (input.type === 'value') return edits.map((edit) => ({ ...edit, at: [...input.at, ...edit.at] }));
  const text = editText(input.text, edits);
  return text === undefined ? [] : [{ at: input.at, set: text }];
}

/** Replaces the text of a part: the string at its place, or the first of `keys` that holds one there. */
export function editTextPart(
  wire: unknown,
  part: TextPart,
  text: string,
  keys: readonly string[],
): readonly WireEdit[] {
  const edit = textEdit(wire, part.at, text, keys);
  return edit ? [edit] : [];
}

function textEdit(wire: unknown, at: Path, text: string, keys: readonly string[]): WireEdit | undefined {
  const value = valueAt(wire, at);
  if (typeof value === 'string') return { at, set: text };
  const key = isObject(value) ? keys.find((name) => typeof value[name] === 'string') : undefined;
  return key === undefined ? undefined : { at: [...at, key], set: text };
}

/** Fields of a replaced block that say nothing about its content and must stay where they are. */
const keptFields = ['cache_control', 'prompt_cache_breakpoint', 'providerOptions'];

/** A text block in the place of another block, whose cache marks it keeps. */
export function blockInPlace(wire: unknown, at: Path, block: { readonly [key: string]: Json }): WireEdit {
  const old = valueAt(wire, at);
  if (!isObject(old)) return { at, set: block };
  const kept = keptFields.filter((name) => old[name] !== undefined).map((name) => [name, old[name]]);
  return {
    at,
    set: kept.length === 0 ? block : { ...block, ...(Object.fromEntries(kept) as { [key: string]: Json }) },
  };
}

/** What most formats do whose messages are lists of blocks, with texts of the type `text` among them. */
export const blockEdits = {
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text']),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'drop-part': ({ part }) => removeAt(part.at),
} satisfies Partial<EditTable>;

/** How a format writes the content of a result. */
interface ResultShape {
  /** Place of the content in the wire message: a text or a list of blocks. */
  readonly contentAt: Path;
  readonly textBlock: (text: string) => { readonly [key: string]: Json };
  /** Where a block of the list holds its text: the first of these that is a text in it. @default ['text'] */
  readonly keys?: readonly string[];
}

/**
 * Makes the text pieces of a result one text. In a list the first text block carries it, under the first of `keys` that
 * it holds a text in, and keeps its other fields; an element that is a text becomes the text. Media and unknown blocks
 * stay, untouched, only when `keepMedia`. Content of any other form becomes the text.
 */
export function editResult(
  change: ChangeOfType<'replace-result'>,
  context: EditContext,
  shape: ResultShape,
): readonly WireEdit[] {
  const { contentAt, textBlock, keys = ['text'] } = shape;
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
  const at = [...contentAt, first];
  const { text } = change;
  const edits = [textEdit(context.entry.wire, at, text, keys) ?? { at, set: textBlock(text) }];
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
