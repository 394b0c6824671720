import { callLeaves, pairResults } from '../transcript/entry-text.ts';
import { isFailedResult } from './failed-result.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { remembered } from './remembered.ts';
import { shellFiles } from './shell-files.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { CarriedFile } from '../transcript/summary-record.ts';
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
 * failed changes nothing. Merged with `previous`.
 */
export function touchedFiles(
  entries: readonly Entry[],
  previous: readonly CarriedFile[] = [],
): CarriedFile[] {
  const files = new Map<string, CarriedFile>();
  for (const file of previous.toReversed()) files.set(file.path, file);
  const results = new Map<CallPart, ResultPart>();
  for (const { call, part } of pairResults(entries)) if (call) results.set(call, part);
  // Only of a change it matters whether it failed: most calls read, and their results are long.
  const hasFailed = (call: CallPart): boolean => {
    const result = results.get(call);
    return result !== undefined && isFailedResult(result, call);
  };
  for (const entry of entries) {
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      for (const touched of filesOfCall(part))
        touch(files, entry, touched, touched.isChange && hasFailed(part));
    }
  }
  return bounded([...files.values()].toReversed());
}

function touch(
  files: Map<string, CarriedFile>,
  entry: Entry,
  { path, isChange }: TouchedPath,
  hasFailed: boolean,
): void {
  const known = files.get(path);
  const changes = isChange && !hasFailed;
  // Newest last: the map keeps the order of insertion.
  files.delete(path);
  files.set(path, {
    path,
    recallId: messageRecallId(entry.ordinal),
    wasRead: (known?.wasRead ?? false) || !isChange,
    wasChanged: (known?.wasChanged ?? false) || changes,
  });
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
  const words = toolWords(call.name);
  const leaves = callLeaves(call);
  const patched = leaves.flatMap(({ text }) => patchFiles(text));
  if (patched.length > 0) return patched;
  if (words.some((word) => shellWords.has(word))) return shellScripts(leaves).flatMap(shellFiles);
  const isChange = changesFiles(words, leaves);
  if (isChange === undefined) return [];
  return leaves.filter(isPathLeaf).map(({ text }) => ({ path: text.trim(), isChange }));
}

/** `undefined`: the tool looks for files, or is none for files. */
function changesFiles(words: readonly string[], leaves: readonly StringLeaf[]): boolean | undefined {
  const actions = leaves.filter(({ key }) => actionKeys.has(plainKey(key))).map(({ text }) => text);
  if (actions.some((action) => readActions.has(action))) return false;
  if (actions.some((action) => changeActions.has(action))) return true;
  if (words.some((word) => changeWords.has(word))) return true;
  if (words.some((word) => readWords.has(word))) return false;
  return words.some((word) => searchWords.has(word)) ? undefined : false;
}

function isPathLeaf({ key, text }: StringLeaf): boolean {
  if (!pathKeys.has(plainKey(key)) || text.length > 400 || text.length < 2) return false;
  return (
    !/[\n\r*?<>|"]/.test(text) && /[./\\]|^[A-Z]/.test(text) && !/^(?:\.{1,2}|\/|https?:\/\/.*)$/.test(text)
  );
}

/** Whether a tool runs commands, by its name. */
export function isShellTool(name: string): boolean {
  return toolWords(name).some((word) => shellWords.has(word));
}

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

/** The files a patch in the `*** Begin Patch` form names, or a unified diff. */
function patchFiles(text: string): TouchedPath[] {
  const hasHeaders = text.includes('*** ');
  if (!hasHeaders && !text.includes('\n+++ ')) return [];
  const files: TouchedPath[] = [];
  for (const line of text.split('\n')) {
    if (line.length > 450 || (!line.startsWith('*** ') && !line.startsWith('+++ '))) continue;
    const path = hasHeaders ? patchHeader.exec(line)?.[2] : /^\+\+\+ (?:b\/)?([^\t]{1,400})/.exec(line)?.[1];
    if (path !== undefined && path !== '/dev/null') files.push({ path: path.trim(), isChange: true });
  }
  return files;
}

/** `mcp__fs__readFile` → `mcp`, `fs`, `read`, `file`. */
const toolWords = remembered((name): readonly string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== ''),
);

const plainKey = remembered((key) => key.toLowerCase().replace(/[^a-z]/g, ''));
