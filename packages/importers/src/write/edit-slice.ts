import { editText } from '@throughline/core/codec';
import { isObject } from '../recording/json-value.ts';
import type { Json, Path, WireEdit } from '@throughline/core/codec';
import type { ViewMessage } from '../recording/recording.ts';

/** A message before and after its edit. */
interface Edited {
  readonly original: unknown;
  readonly edited: unknown;
}

/**
 * The JSON text with one value in it edited: the message at `at`. Only the bytes of what differs change. Where the
 * text cannot be edited in place, `undefined`.
 */
export function editSlice(text: string, at: Path, { original, edited }: Edited): string | undefined {
  return editText(text, withPrefix(at, diffEdits(original, edited)));
}

export function withPrefix(at: Path, edits: readonly WireEdit[]): WireEdit[] {
  return edits.map((edit) => ({ ...edit, at: [...at, ...edit.at] }));
}

/**
 * The edits that make one JSON value of another. Values that are the same object are not looked into, so the cost is
 * that of what differs. Elements of an array may have been edited or taken out; any other change of an array sets it
 * as a whole.
 */
export function diffEdits(original: unknown, edited: unknown, at: Path = []): readonly WireEdit[] {
  if (original === edited) return [];
  if (Array.isArray(original) && Array.isArray(edited)) return diffArrays(original, edited, at);
  if (isObject(original) && isObject(edited)) return diffObjects(original, edited, at);
  return [{ at, set: edited as Json }];
}

type Members = Readonly<Record<string, unknown>>;

function diffObjects(original: Members, edited: Members, at: Path): readonly WireEdit[] {
  const edits: WireEdit[] = [];
  for (const key of Object.keys(original)) {
    const path = [...at, key];
    if (!Object.hasOwn(edited, key) || edited[key] === undefined) {
      if (original[key] !== undefined) edits.push({ at: path, remove: true });
    } else edits.push(...diffEdits(original[key], edited[key], path));
  }
  for (const key of Object.keys(edited)) {
    if (!Object.hasOwn(original, key) && edited[key] !== undefined)
      edits.push({ at: [...at, key], set: edited[key] as Json });
  }
  return edits;
}

function diffArrays(original: readonly unknown[], edited: readonly unknown[], at: Path): readonly WireEdit[] {
  if (edited.length > original.length || edited.length === 0) {
    return original.length === edited.length ? [] : [{ at, set: edited as Json }];
  }
  const places = new Map(original.map((element, index) => [element, index]));
  const edits: WireEdit[] = [];
  let removals = original.length - edited.length;
  let next = 0;
  for (const [index, element] of original.entries()) {
    const other = edited[next];
    const later = isShared(other) ? (places.get(other) ?? -1) : -1;
    const isRemoved = removals > 0 && element !== other && (later > index || next >= edited.length);
    if (isRemoved) {
      edits.push({ at: [...at, index], remove: true });
      removals -= 1;
      continue;
    }
    edits.push(...diffEdits(element, other, [...at, index]));
    next += 1;
  }
  // Elements that were taken out without a trace: what stands now at the end of the original is not in the edited one.
  return removals === 0 ? edits : [{ at, set: edited as Json }];
}

/** Whether an element can be told from all others by identity. */
function isShared(element: unknown): boolean {
  return typeof element === 'object' && element !== null;
}

/**
 * The JSON text with the view in the place of a list that is none: of a text that stands for one message. Everything
 * around it keeps its bytes.
 */
export function setList(text: string, array: Path, view: readonly ViewMessage[]): string | undefined {
  return editText(text, [{ at: array, set: view.map(({ message }) => message as Json) }]);
}
