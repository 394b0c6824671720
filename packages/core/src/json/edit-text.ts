import type { WireEdit } from './json.ts';
import { readKey, skipSpace, skipString, skipValue } from './scan-json.ts';
import { longestPath } from './json.ts';
import { writeJson } from './write-json.ts';

/** The edits as a tree along their paths, so that one scan visits each container once. */
interface EditNode {
  edit?: WireEdit;
  readonly children: Map<string | number, EditNode>;
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

interface Element {
  readonly key: string | number;
  readonly valueStart: number;
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
  const { text } = scan;
  const close = text[open] === '{' ? '}' : ']';
  const progress: Progress = { previousEnd: open + 1, removedFrom: -1, keptSome: false, inside: new Map() };
  let at = skipSpace(text, open + 1);
  for (let index = 0; index > 0 || text[at] !== close; index++) {
    const element = close === '}' ? readMember(text, at) : { key: index, valueStart: at };
    const end = element ? scanElement(scan, node, { element, start: at, progress }) : -1;
    if (end < 0) return -1;
    at = skipSpace(text, end);
    if (text[at] === close) break;
    if (text[at] !== ',') return -1;
    at = skipSpace(text, at + 1);
  }
  finishContainer(scan, node, { close, progress });
  return at + 1;
}

function readMember(text: string, at: number): Element | undefined {
  if (text[at] !== '"') return undefined;
  const keyEnd = skipString(text, at);
  if (keyEnd < 0) return undefined;
  const colon = skipSpace(text, keyEnd);
  if (text[colon] !== ':') return undefined;
  return { key: readKey(text, at, keyEnd), valueStart: skipSpace(text, colon + 1) };
}

function scanElement(
  scan: Scan,
  node: EditNode,
  place: { readonly element: Element; readonly start: number; readonly progress: Progress },
): number {
  const { element, start, progress } = place;
  const { splices } = scan;
  const child = node.children.get(element.key);
  const isRemoved = child?.edit !== undefined && !('set' in child.edit);
  if (!isRemoved && progress.removedFrom >= 0 && !progress.keptSome) {
    splices.push({ start: progress.removedFrom, end: start, text: '' });
  }
  const first = splices.length;
  const end = child ? scanValue(scan, child, element.valueStart) : skipValue(scan.text, element.valueStart);
  if (end < 0) return -1;
  if (child) {
    cancel(splices, progress.inside.get(element.key));
    progress.inside.set(element.key, { first, end: splices.length });
  }
  if (!isRemoved) progress.keptSome = true;
  else if (progress.keptSome) splices.push({ start: progress.previousEnd, end, text: '' });
  else if (progress.removedFrom < 0) progress.removedFrom = start;
  progress.previousEnd = end;
  return end;
}

function cancel(splices: (Splice | undefined)[], range: { first: number; end: number } | undefined): void {
  if (range) splices.fill(undefined, range.first, range.end);
}

/** Takes out what was removed when nothing is kept, and adds the members that were set but not found. */
function finishContainer(
  scan: Scan,
  node: EditNode,
  container: { readonly close: string; readonly progress: Progress },
): void {
  const { previousEnd, removedFrom, keptSome, inside } = container.progress;
  if (removedFrom >= 0 && !keptSome) scan.splices.push({ start: removedFrom, end: previousEnd, text: '' });
  if (container.close === ']') return;
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
  if (pieces.length === 0) return text;
  pieces.push(text.slice(at));
  return pieces.join('');
}
