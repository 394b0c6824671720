import { callLeaves } from '../transcript/entry-text.ts';
import { isFailedResult } from './failed-result.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { NearPairs } from './near-pairs.ts';
import { remembered } from './remembered.ts';
import { shellFiles } from './shell-files.ts';
import type { CallPart, Entry, Part, RecallId } from '../transcript/entry.ts';
import type { CarriedFile } from '../transcript/summary-record.ts';
import type { PartPlace } from './near-pairs.ts';
import type { StringLeaf } from '../transcript/entry-text.ts';
import type { TouchedPath } from './shell-files.ts';

const maxFiles = 400;

const changeWords = new Set(
  'write edit multiedit create patch replace insert delete remove rename move append save overwrite modify'.split(
    ' ',
  ),
);
const readWords = new Set('read view cat open load show'.split(' '));
const searchWords = new Set('grep glob search find list ls tree todo web fetch'.split(' '));
const shellWords = new Set(
  'bash shell sh zsh exec execute command terminal powershell cmd console'.split(' '),
);
// What tools with one name and several actions call them.
const readActions = new Set(['view', 'read', 'open', 'cat']);
const changeActions = new Set(
  'create write edit str_replace insert undo_edit delete rename move append'.split(' '),
);

const pathKeys = new Set(
  (
    'path paths file files filepath filepaths filename filenames notebookpath targetfile absolutepath relativepath ' +
    'relativeworkspacepath oldpath newpath sourcepath destinationpath source destination src dst dest uri'
  ).split(' '),
);
const commandKeys = new Set(['command', 'cmd', 'commands', 'script', 'commandline']);
const actionKeys = new Set(['command', 'action', 'operation', 'mode']);

/**
 * Files that calls read or changed, by their arguments; newest first, changed ones kept before read ones. A call that
 * failed changes nothing. Merged with `previous`. At most 400: of what lies before the newest 400, only tools that
 * change files or run commands are asked.
 */
export function touchedFiles(
  entries: readonly Entry[],
  previous: readonly CarriedFile[] = [],
): CarriedFile[] {
  const files = new Map<string, Touched>();
  const pairs = new NearPairs(entries);
  // Going back, so that what was touched last comes first.
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const { parts, ordinal } = entries[at] as Entry;
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index] as Part;
      if (part.type !== 'call' || (files.size >= maxFiles && !mayChangeFiles(part.name))) continue;
      touchAll(files, part, { pairs, at, part: index, recallId: messageRecallId(ordinal) });
    }
  }
  for (const { path, recallId, wasRead, wasChanged } of previous) {
    touch(files, recallId, { path, wasRead, wasChanged });
  }
  return bounded([...files.values()]);
}

type Touched = { -readonly [Key in keyof CarriedFile]: CarriedFile[Key] };

/** Where a call stands. */
interface Place extends PartPlace {
  readonly pairs: NearPairs;
  readonly recallId: RecallId;
}

function touchAll(files: Map<string, Touched>, call: CallPart, place: Place): void {
  const touched = filesOfCall(call);
  for (let index = touched.length - 1; index >= 0; index -= 1) {
    const { path, isChange } = touched[index] as TouchedPath;
    // Only of a change it matters whether it failed: most calls read, and their results are long.
    const result = isChange ? place.pairs.answerTo(call, place) : undefined;
    const wasChanged = isChange && !(result && isFailedResult(result, call));
    touch(files, place.recallId, { path, wasRead: !isChange, wasChanged });
  }
}

function touch(
  files: Map<string, Touched>,
  recallId: CarriedFile['recallId'],
  { path, wasRead, wasChanged }: Omit<CarriedFile, 'recallId'>,
): void {
  const known = files.get(path);
  if (!known) {
    files.set(path, { path, recallId, wasRead, wasChanged });
    return;
  }
  known.wasRead ||= wasRead;
  known.wasChanged ||= wasChanged;
}

function bounded(files: readonly CarriedFile[]): CarriedFile[] {
  if (files.length <= maxFiles) return [...files];
  const changed = files.filter(({ wasChanged }) => wasChanged).slice(0, maxFiles);
  const others = files.filter(({ wasChanged }) => !wasChanged).slice(0, maxFiles - changed.length);
  const kept = new Set([...changed, ...others]);
  return files.filter((file) => kept.has(file));
}

/** The files one call names. */
export function filesOfCall(call: CallPart): TouchedPath[] {
  const leaves = callLeaves(call);
  const files: TouchedPath[] = [];
  for (const { text } of leaves) {
    if (isPatch(text)) for (const file of patchFiles(text)) files.push(file);
  }
  if (files.length > 0) return files;
  if (isShellTool(call.name)) return shellScripts(leaves).flatMap(shellFiles);
  const isChange = changesFiles(call.name, leaves);
  if (isChange === undefined) return files;
  for (const leaf of leaves) if (isPathLeaf(leaf)) files.push({ path: leaf.text.trim(), isChange });
  return files;
}

/** `undefined`: the tool looks for files, or is none for files. */
function changesFiles(name: string, leaves: readonly StringLeaf[]): boolean | undefined {
  let isChange: boolean | undefined;
  for (const { key, text } of leaves) {
    if (!actionKeys.has(plainKey(key))) continue;
    if (readActions.has(text)) return false;
    if (changeActions.has(text)) isChange = true;
  }
  return isChange ?? toolChangesFiles(name);
}

const toolChangesFiles = remembered((name): boolean | undefined => {
  const words = toolWords(name);
  if (words.some((word) => changeWords.has(word))) return true;
  if (words.some((word) => readWords.has(word))) return false;
  return words.some((word) => searchWords.has(word)) ? undefined : false;
});

const mayChangeFiles = (name: string): boolean => toolChangesFiles(name) === true || isShellTool(name);

function isPathLeaf({ key, text }: StringLeaf): boolean {
  if (!pathKeys.has(plainKey(key)) || text.length > 400 || text.length < 2) return false;
  return (
    !/[\n\r*?<>|"]/.test(text) && /[./\\]|^[A-Z]/.test(text) && !/^(?:\.{1,2}|\/|https?:\/\/.*)$/.test(text)
  );
}

/** Whether a tool runs commands, by its name. */
export const isShellTool: (name: string) => boolean = remembered((name) =>
  toolWords(name).some((word) => shellWords.has(word)),
);

/** The command lines in a shell call's arguments; `["bash", "-lc", "…"]` is its last string. */
export function shellScripts(leaves: readonly StringLeaf[]): string[] {
  const commands = leaves.filter(({ key }) => commandKeys.has(plainKey(key)));
  const isArgv = commands.length > 1 && new Set(commands.map(({ key }) => key)).size === 1;
  if (!isArgv) return commands.map(({ text }) => text);
  const [first, second] = commands;
  const isWrapped =
    /(?:^|\/)(?:ba|z|da|fi)?sh$/.test(first?.text ?? '') && /^-\w*c$/.test(second?.text ?? '');
  return isWrapped
    ? commands.slice(-1).map(({ text }) => text)
    : [commands.map(({ text }) => text).join(' ')];
}

const patchHeader = /^\*\*\* (?:(Add|Update|Delete) File|Move to): (.{1,400})$/;

function isPatch(text: string): boolean {
  return text.includes('*** ') || text.includes('\n+++ ');
}

/** The files a patch in the `*** Begin Patch` form names, or a unified diff. */
function patchFiles(text: string): TouchedPath[] {
  const hasHeaders = text.includes('*** ');
  const files: TouchedPath[] = [];
  for (const line of text.split('\n')) {
    if (line.length > 450 || (!line.startsWith('*** ') && !line.startsWith('+++ '))) continue;
    const path = hasHeaders ? patchHeader.exec(line)?.[2] : /^\+\+\+ (?:b\/)?([^\t]{1,400})/.exec(line)?.[1];
    if (path !== undefined && path !== '/dev/null') files.push({ path: path.trim(), isChange: true });
  }
  return files;
}

/** `mcp__fs__readFile` → `mcp`, `fs`, `read`, `file`. */
function toolWords(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const plainKey = remembered((key) => key.toLowerCase().replace(/[^a-z]/g, ''));
