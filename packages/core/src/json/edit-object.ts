import type { WireEdit } from './json.ts';
import { hasMember, isObject, longestPath, memberOf } from './json.ts';

type Container = Record<string, unknown> | unknown[];

/** Containers copied so far, and the array positions to take out of the copies at the end. */
interface Copies {
  readonly made: Set<unknown>;
  readonly removals: Map<unknown[], Set<number>>;
}

/**
 * Carries out edits on a value in memory, copying only the containers along their paths. Everything else keeps its
 * identity; the value handed in is never touched. Paths are those of the original value. A number addresses an
 * array element, a string a member of an object; setting a missing member adds it, any other path that leads nowhere
 * is ignored. With nothing to do it returns the very same value; when the root itself is removed, `undefined`.
 */
export function editObject(value: unknown, edits: readonly WireEdit[]): unknown {
  const copies: Copies = { made: new Set(), removals: new Map() };
  let root = value;
  for (const edit of edits) {
    if (edit.at.length === 0) root = 'set' in edit ? edit.set : undefined;
    else if (changesSomething(root, edit)) root = applyEdit(root, edit, copies);
  }
  for (const [array, positions] of copies.removals) closeGaps(array, positions);
  return root;
}

function changesSomething(root: unknown, edit: WireEdit): boolean {
  if (edit.at.length > longestPath) return false;
  let current = root;
  const last = edit.at.length - 1;
  for (let depth = 0; depth < last; depth++) {
    const key = edit.at[depth];
    if (key === undefined || !hasMember(current, key)) return false;
    current = memberOf(current, key);
  }
  const key = edit.at[last];
  if (key === undefined) return false;
  if (hasMember(current, key)) return !('set' in edit) || memberOf(current, key) !== edit.set;
  return 'set' in edit && typeof key === 'string' && isObject(current);
}

function applyEdit(root: unknown, edit: WireEdit, copies: Copies): unknown {
  const newRoot = ownCopy(root, copies);
  let current = newRoot;
  const last = edit.at.length - 1;
  for (let depth = 0; depth < last; depth++) {
    const key = edit.at[depth] as string | number;
    const child = ownCopy(memberOf(current, key), copies);
    setMember(current, key, child);
    current = child;
  }
  const key = edit.at[last] as string | number;
  if ('set' in edit) setMember(current, key, edit.set);
  else if (Array.isArray(current)) markRemoved(current, key as number, copies);
  else delete current[key];
  return newRoot;
}

function ownCopy(value: unknown, copies: Copies): Container {
  if (copies.made.has(value)) return value as Container;
  const copy: Container = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  copies.made.add(copy);
  return copy;
}

function markRemoved(array: unknown[], position: number, copies: Copies): void {
  const positions = copies.removals.get(array);
  if (positions) positions.add(position);
  else copies.removals.set(array, new Set([position]));
}

function closeGaps(array: unknown[], positions: ReadonlySet<number>): void {
  let kept = 0;
  for (let index = 0; index < array.length; index++) {
    if (!positions.has(index)) array[kept++] = array[index];
  }
  array.length = kept;
}

/** Defines rather than assigns: a member called `__proto__` must stay a member. */
function setMember(container: Container, key: string | number, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  } else (container as Record<string | number, unknown>)[key] = value;
}
