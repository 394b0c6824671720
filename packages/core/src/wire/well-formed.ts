import { editObject } from '../json/edit-object.ts';
import type { Json, Path, WireEdit } from '../json/json.ts';
import { isObject, longestPath, valueAt } from '../json/json.ts';

/** Where the first string (or member name) with a lone surrogate lies in a wire message; `undefined` when none does. */
export function findMalformed(value: unknown): Path | undefined {
  return malformedPlaces(value, 1)[0];
}

/**
 * The value with U+FFFD for each lone surrogate in its strings and member names. Well-formed values come back as
 * they are; everything that needs no repair keeps its identity. Two member names that become equal: the later wins.
 */
export function makeWellFormed(value: unknown): unknown {
  const places = malformedPlaces(value, Infinity);
  if (places.length === 0) return value;
  return editObject(
    value,
    places.map((at): WireEdit => ({ at, set: rewrite(valueAt(value, at)) as Json })),
  );
}

interface ValueNode {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: ValueNode | undefined;
  readonly depth: number;
}

/** With a work list instead of recursion: a hostile nesting must not exhaust the stack. */
function malformedPlaces(root: unknown, most: number): Path[] {
  const found: Path[] = [];
  const pending: ValueNode[] = [{ value: root, key: '', parent: undefined, depth: 0 }];
  for (let place = pending.pop(); place && found.length < most; place = pending.pop()) {
    const { value } = place;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) found.push(pathTo(place));
    } else if (Array.isArray(value)) pushElements(value, place, pending);
    else if (isObject(value) && !pushMembers(value, place, pending)) found.push(pathTo(place));
  }
  return found;
}

function pushElements(array: readonly unknown[], parent: ValueNode, pending: ValueNode[]): void {
  if (parent.depth >= longestPath) return;
  for (let index = array.length - 1; index >= 0; index -= 1)
    pushChild(memberOf(array, index), index, parent, pending);
}

/** False when a member name is malformed: then the object is rewritten as a whole. */
function pushMembers(object: Record<string, unknown>, parent: ValueNode, pending: ValueNode[]): boolean {
  if (parent.depth >= longestPath) return true;
  const before = pending.length;
  for (const key of Object.keys(object)) {
    if (!key.isWellFormed()) {
      pending.length = before;
      return false;
    }
    pushChild(memberOf(object, key), key, parent, pending);
  }
  return true;
}

/** What throws when it is read holds no text to look at: the message is sent as it came. */
function memberOf(holder: object, key: string | number): unknown {
  try {
    return (holder as Readonly<Record<string | number, unknown>>)[key];
  } catch {
    return undefined;
  }
}

function pushChild(value: unknown, key: string | number, parent: ValueNode, pending: ValueNode[]): void {
  if (typeof value === 'string' ? !value.isWellFormed() : isContainer(value)) {
    pending.push({ value, key, parent, depth: parent.depth + 1 });
  }
}

/** Raw bytes hold no text, and one member per byte. */
function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function pathTo(place: ValueNode): Path {
  const path: (string | number)[] = [];
  for (let step = place; step.parent; step = step.parent) path.push(step.key);
  return path.reverse();
}

function rewrite(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (depth > longestPath) return value;
  if (Array.isArray(value)) return value.map((element) => rewrite(element, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), rewrite(member, depth + 1)]),
  );
}
