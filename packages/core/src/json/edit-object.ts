import { longestPath, hasMember, isObject, memberOf } from './json.ts';
import { skipSpace, skipValue, walkElements } from './scan-json.ts';
import { writeJson } from './write-json.ts';
import type { WireEdit } from './json.ts';
import type { ScannedElement } from './scan-json.ts';

type Container = Record<string, unknown> | unknown[];

/** The edits as a tree along their paths, so that each container is visited once. */
interface EditNode {
  edit?: WireEdit;
  readonly children: Map<string | number, EditNode>;
}

/** Stands in the place of a value that goes. */
const removed = Symbol('removed');

/**
 * Carries out edits on a value in memory, copying only the containers along their paths. Everything else keeps its
 * identity; the value handed in is never touched. Paths are those of the original value. A number addresses an
 * array element, a string a member of an object; setting a missing member adds it, any other path that leads nowhere
 * is ignored. With nothing to do it returns the very same value; when the root itself is removed, `undefined`.
 */
export function editObject(value: unknown, edits: readonly WireEdit[]): unknown {
  const edited = editedValue(value, editTree(edits));
  return edited === removed ? undefined : edited;
}

function editedValue(value: unknown, { edit, children }: EditNode): unknown {
  if (edit) return 'set' in edit ? edit.set : removed;
  let copy: Container | undefined;
  for (const [key, child] of children) {
    const isThere = hasMember(value, key);
    const isAdded = typeof key === 'string' && isObject(value) && child.edit && 'set' in child.edit;
    if (!isThere && !isAdded) continue;
    const member = isThere ? memberOf(value, key) : undefined;
    const edited = editedValue(member, child);
    if (isThere && edited === member) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
    if (edited === removed && !Array.isArray(copy)) delete copy[key];
    else setMember(copy, key, edited);
  }
  return Array.isArray(copy) ? copy.filter((element) => element !== removed) : (copy ?? value);
}

function editTree(edits: readonly WireEdit[]): EditNode {
  const root: EditNode = { children: new Map() };
  for (const edit of edits) {
    if (edit.at.length > longestPath) continue;
    let node = root;
    for (const key of edit.at) {
      let child = node.children.get(key);
      if (!child) {
        child = { children: new Map() };
        node.children.set(key, child);
      }
      node = child;
    }
    node.edit = edit;
  }
  return root;
}

/** Defines rather than assigns: a member called `__proto__` must stay a member. */
function setMember(container: Container, key: string | number, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  } else (container as Record<string | number, unknown>)[key] = value;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text and the splices found so far, in ascending order; a cancelled one is `undefined`. */
interface Scan {
  readonly text: string;
  readonly splices: (Splice | undefined)[];
}

/** What the elements before the current one of a container left behind. */
interface Progress {
  /** End of the last element; just behind the opening bracket when there was none. */
  previousEnd: number;
  /** Start of the removed elements that nothing kept precedes; −1 when there are none. */
  removedFrom: number;
  keptSome: boolean;
  /** Splices made inside each edited member, as a range: a later member of the same name cancels them. */
  readonly inside: Map<string | number, { readonly first: number; readonly end: number }>;
}

/**
 * Carries out edits on a JSON text in one scan. Only the bytes of the edited values change (a removal takes its comma
 * along); white space, key order, number spelling, escapes and unknown members stay as they are. The result parses to
 * what `editObject` makes of the parsed text, with the same rules for paths that lead nowhere. No edits: the same
 * string. Root removed: the empty string. `undefined` when the text is broken along the edited paths.
 */
export function editText(jsonText: string, edits: readonly WireEdit[]): string | undefined {
  if (edits.length === 0) return jsonText;
  const tree = editTree(edits);
  const start = skipSpace(jsonText, 0);
  if (tree.edit && !('set' in tree.edit)) return '';
  const scan: Scan = { text: jsonText, splices: [] };
  return scanValue(scan, tree, start) < 0 ? undefined : spliceText(scan);
}

/** Records the splices of the value that starts at `from`. Returns its end; −1 when it is broken. */
function scanValue(scan: Scan, node: EditNode, from: number): number {
  const { text, splices } = scan;
  if (!node.edit) {
    const isContainer = text[from] === '{' || text[from] === '[';
    return isContainer ? scanContainer(scan, node, from) : skipValue(text, from);
  }
  const end = skipValue(text, from);
  if (end >= 0 && 'set' in node.edit) splices.push({ start: from, end, text: writeJson(node.edit.set) });
  return end;
}

function scanContainer(scan: Scan, node: EditNode, open: number): number {
  const progress: Progress = { previousEnd: open + 1, removedFrom: -1, keptSome: false, inside: new Map() };
  const close = walkElements(scan.text, open, (element) => scanElement(scan, node, element, progress));
  if (close < 0) return -1;
  const { previousEnd, removedFrom, keptSome } = progress;
  if (removedFrom >= 0 && !keptSome) scan.splices.push({ start: removedFrom, end: previousEnd, text: '' });
  if (scan.text[close] === '}') addMembers(scan, node, progress);
  return close + 1;
}

function scanElement(scan: Scan, node: EditNode, element: ScannedElement, progress: Progress): number {
  const { splices } = scan;
  const child = node.children.get(element.key);
  const isRemoved = child?.edit !== undefined && !('set' in child.edit);
  if (!isRemoved && progress.removedFrom >= 0 && !progress.keptSome) {
    splices.push({ start: progress.removedFrom, end: element.start, text: '' });
  }
  const first = splices.length;
  const end = child ? scanValue(scan, child, element.valueStart) : skipValue(scan.text, element.valueStart);
  if (end < 0) return -1;
  if (child) {
    const earlier = progress.inside.get(element.key);
    if (earlier) splices.fill(undefined, earlier.first, earlier.end);
    progress.inside.set(element.key, { first, end: splices.length });
  }
  if (!isRemoved) progress.keptSome = true;
  else if (progress.keptSome) splices.push({ start: progress.previousEnd, end, text: '' });
  else if (progress.removedFrom < 0) progress.removedFrom = element.start;
  progress.previousEnd = end;
  return end;
}

/** Adds the members that were set but not found. */
function addMembers(scan: Scan, node: EditNode, { previousEnd, keptSome, inside }: Progress): void {
  const added: string[] = [];
  for (const [key, { edit }] of node.children) {
    if (typeof key !== 'string' || inside.has(key) || !edit || !('set' in edit)) continue;
    added.push(`${JSON.stringify(key)}:${writeJson(edit.set)}`);
  }
  if (added.length === 0) return;
  const text = keptSome ? `,${added.join(',')}` : added.join(',');
  scan.splices.push({ start: previousEnd, end: previousEnd, text });
}

function spliceText({ text, splices }: Scan): string {
  const pieces: string[] = [];
  let at = 0;
  for (const splice of splices) {
    if (!splice) continue;
    pieces.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}
