import { commandOf, describeCall, membersOf, patchedFiles, pathKeys, toolWords } from './calls.ts';
import { quotedText, withoutHeredocs } from './command-key.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import type { CallPart } from '../transcript/entry.ts';

const longestPath = 400;
// Whatever a terminal, an editor or a model takes for the end of a line.
const lineBreak = /[\p{Cc}\u2028\u2029]/u;

/** The files that an edit changes, or a command writes; of an edit that names none, the one that its result says is open. */
export function editedFiles(call: CallPart, output: string): string[] {
  const { kind, content, command } = describeCall(call);
  // What it writes beside where it went is none of the project either.
  if (kind === 'command' && command !== undefined)
    return /^\s*cd\s+["']?\/(?:tmp|var|private)\b/.test(commandOf(call.name, callInputValue(call)) ?? '')
      ? []
      : writtenFiles(command);
  if (kind !== 'edit') return [];
  const patched = patchedFiles(content);
  if (patched.length > 0) return patched.filter(isPath);
  for (const [key, value] of Object.entries(membersOf(callInputValue(call))))
    if (pathKeys.test(key) && isPath(value)) return [value];
  const listed = listedChanges(call).map(({ path }) => path);
  const open = listed.length === 0 ? openFileIn(output) : undefined;
  return open === undefined ? listed : [open];
}

// SWE-agent: the file that is open stands around what is shown of it.
const openFile = /^\(Open file: (?!n\/a\))([^\n]{1,400})\)$/m;
const shownFile = /^\[File: ([^\n]{1,400}) \(\d{1,9} lines total\)\]$/m;

/** The file that an editor says is open in it; `undefined` where it says none. */
export function openFileIn(output: string): string | undefined {
  const path = openFile.exec(output)?.[1] ?? shownFile.exec(output)?.[1];
  return isPath(path) ? path : undefined;
}

const writtenEdit = /^\s*```[^\n]{0,20}\nedit \d{1,9}:\d{1,9}\n/;

/** Whether the action that a text of the assistant ends with is an edit of SWE-agent's editor. */
export function isWrittenEdit(text: string): boolean {
  const end = text.trimEnd().length - 3;
  return text.startsWith('```', end) && writtenEdit.test(text.slice(text.lastIndexOf('```', end - 1)));
}

/** What a run of Codex tells of its edits: `changes` with a path and a kind each. */
function listedChanges(call: CallPart): { readonly path: string; readonly kind: unknown }[] {
  const { changes } = membersOf(callInputValue(call));
  if (!Array.isArray(changes)) return [];
  return changes.map(membersOf).flatMap(({ path, kind }) => (isPath(path) ? [{ path, kind }] : []));
}

const longestScript = 20_000;
const plainPath = '([\\w.@+~/-]{1,400})(?![^\\s;&|)])';
const writes = [
  new RegExp(`\\b(?:cat|echo|printf)\\b[^|;&\\n>]*>{1,2} {0,3}${plainPath}`, 'g'),
  new RegExp(`\\btee (?:-a )?${plainPath}`, 'g'),
  new RegExp(`\\bsed (?:-[A-Za-z]{1,3} ){0,3}-i\\S{0,9} (?:-[A-Za-z] )?"" ${plainPath}`, 'g'),
];
const isScratch = /^(?:\/tmp\/|\/dev\/|\/var\/|\/private\/|-)|\.(?:log|out)$|\/$/;

/** The files that a script writes by name. What a program writes by itself is not known. */
function writtenFiles(script: string): string[] {
  if (script.length > longestScript) return [];
  const plain = withoutHeredocs(script, '<<""')
    .replace(quotedText, '""')
    .replace(/^\s{0,99}#.*$/gm, '');
  const found = writes.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, path = '']) => path));
  return [...new Set(found)].filter((path) => /[./]/.test(path) && !isScratch.test(path));
}

/** What is not where it was: gone, or elsewhere. */
interface MovedFile {
  readonly from: string;
  readonly to?: string;
  /** It may be a folder: all that is known to lie in it. */
  readonly isFolder?: true;
}

// In another folder a name is that of another file; behind `||`, a test, in a branch or a function something may not have run.
const isUncertain =
  /\b(?:cd|pushd|popd)\s|\s-C\s|\|\||\s(?:-n|--dry-run|--cached)\b|(?:^|[;&|\n])[^\S\n]*(?:(?:if|for|while|until|case|function)\s|[\w-]{1,80}\s?\(\)|(?:\[|(?:test|e?grep|diff|cmp)\s)[^;&|\n]{0,400}&&)/;

/** What a command, a patch or a tool takes away or moves, by plain names; not the files that it writes anew. */
export function movedFiles(call: CallPart): MovedFile[] {
  const { kind, content, command } = describeCall(call);
  if (kind === 'edit' && patchedFiles(content).length > 0) return movedByPatch(content);
  if (command === undefined) return movedByTool(call);
  const given = commandOf(call.name, callInputValue(call)) ?? '';
  if (kind !== 'command' || given.length > longestScript) return [];
  const plain = withoutHeredocs(given, '<<""').replace(quotedText, '""');
  if (isUncertain.test(plain) || restores.test(plain)) return [];
  const gone = new Map<string, MovedFile>();
  for (const statement of statementsOf(plain)) {
    for (const moved of movedBy(statement)) gone.set(moved.from, moved);
    for (const path of placedBy(statement)) gone.delete(path);
    takeBack(gone, statement.trim());
  }
  for (const path of writtenFiles(command)) gone.delete(path);
  return [...gone.values()];
}

/** The paths at which a command puts what it has from elsewhere. */
export function placedFiles(call: CallPart): string[] {
  const { kind, command = '' } = describeCall(call);
  if (
    kind !== 'command' ||
    command.length > longestScript ||
    !/\b(?:cp|mv|ln|touch|install)\s|>/.test(command)
  )
    return [];
  return statementsOf(withoutHeredocs(command, '<<""').replace(quotedText, '""')).flatMap(placedBy);
}

function statementsOf(script: string): string[] {
  return script.split(/[;&|\n]+/);
}

const placing = new Set(['cp', 'mv', 'ln', 'touch', 'install']);

function placedBy(statement: string): string[] {
  const [program = '', ...given] = wordsOf(statement);
  const paths = given.filter((word) => !word.startsWith('-')).map(withoutDot);
  const target = paths.at(-1) ?? '';
  const goals = program === 'touch' ? paths : paths.map((path) => goalOf(path, target)).slice(0, -1);
  const redirected = /[^>]>{1,2}\s{0,3}([\w.@+~/-]{1,400})/.exec(statement)?.[1];
  return [
    ...(placing.has(program) ? [target, ...goals] : []),
    ...(redirected ? [withoutDot(redirected)] : []),
  ];
}

// They make no file of what they are given.
const makingNothing = new Set(
  'rm rmdir unlink mkdir cd pushd popd ls ll tree cat head tail echo printf test [ find grep rg wc stat file du df chmod chown sleep true'.split(
    ' ',
  ),
);
// They fill a folder: what they are given may be the one around.
const filling =
  /^(?:git (?:-\S+ )*clone|rsync|scp|(?:npm|pnpm|yarn|bun) (?:create|init|dlx)|(?:npx|bunx) (?:-\S+ )*(?:create-\S+|degit|tiged)|cargo (?:new|init))\b/;
// They may fill any.
const unpacking = /^(?:(?:bsd)?tar|unzip|7z|patch|git (?:-\S+ )*(?:submodule|worktree|subtree|apply|am))\b/;

/** The folders that a statement may fill; `.` for any. */
function filledBy(statement: string): string[] {
  if (unpacking.test(statement)) return ['.'];
  if (!filling.test(statement)) return [];
  const given = pathsOf(statement);
  // A clone without a name is called as what it is one of.
  return [...given, given.at(-1)?.replace(/^.*[/:]|\.git$/g, '') ?? ''];
}

function pathsOf(statement: string): string[] {
  const words = statement.split(/[\s=]+/).slice(1);
  return words.map((word) => withoutDot(word).replace(/(?<=[^/])\/+$/, ''));
}

/** The folders that a command may have filled. */
export function filledFolders(call: CallPart): string[] {
  const { kind, command = '' } = describeCall(call);
  if (kind !== 'command' || command.length > longestScript) return [];
  return statementsOf(command.replace(quotedText, '""')).flatMap((statement) => filledBy(statement.trim()));
}

export function isInside(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

/** Takes back what a program may have put where something was removed before it: `git clone x src`, and any that nobody knows. */
function takeBack(gone: Map<string, MovedFile>, statement: string): void {
  const [program = ''] = statement.split(/\s/);
  const isKnown = placing.has(program) || makingNothing.has(program) || program === 'git';
  const given = isKnown ? [] : pathsOf(statement);
  const filled = filledBy(statement);
  for (const path of gone.keys())
    if (given.some((place) => isInside(place, path)) || filled.some((place) => isInside(path, place)))
      gone.delete(path);
}

function wordsOf(statement: string): string[] {
  const words = statement.trim().split(/\s+/);
  return words[0] === 'git' ? words.slice(1) : words;
}

function withoutDot(path: string): string {
  return path.replace(/^\.\//, '');
}

// Not a new branch, what only tells, or what is only about the index.
const restores =
  /\bgit (?:-\S+ )*(?:checkout(?! -[bB]\b)|restore(?! --staged\b(?![^;&|\n]*--worktree))|stash(?! (?:list|show|drop|clear|create|store)\b)|reset\b(?=[^;&|\n]* --(?:hard|merge|keep)\b)|revert)\b/;

/** Whether a command may have brought back files that were deleted. */
export function restoresFiles(call: CallPart): boolean {
  return restores.test(describeCall(call).command ?? '');
}

const patchedMove = /^\*\*\* Update File: (.{1,400})\r?\n\*\*\* Move to: (.{1,400})$/gm;

function movedByPatch(patch: string): MovedFile[] {
  const named = (mark: string): string[] =>
    [...patch.matchAll(new RegExp(`^\\*\\*\\* ${mark} File: (.{1,400})$`, 'gm'))].map(([, path = '']) =>
      path.trim(),
    );
  const kept = new Set([...named('Add'), ...named('Update')]);
  const moved = [...patch.matchAll(patchedMove)].map(([, from = '', to = '']) => ({
    from: from.trim(),
    to: to.trim(),
  }));
  return [...moved, ...named('Delete').flatMap((from) => (kept.has(from) ? [] : [{ from }]))];
}

// `delete_lines` and `rename_symbol` are about what is in a file.
const removingTool = /^(?:delete|remove)(?:file|path|directory|folder|dir)?$/;
const movingTool = /^(?:move|rename)(?:file|path|directory|folder|dir)?$/;
const namesFile = /(?:file|path|directory|folder|dir)$/;
const fromKeys = /^(?:source|src|from|old)_?(?:path|file|name)?$/i;
const toKeys = /^(?:destination|dest|to|new|target)_?(?:path|file|name)?$/i;

/** `delete_file`, `move_file` and the like, by their names. */
function movedByTool(call: CallPart): MovedFile[] {
  const own = toolWords(call.name.split(/__|[.:/]/).at(-1) ?? '').join('');
  const isMoving = movingTool.test(own);
  if (!isMoving && !removingTool.test(own))
    return listedChanges(call).flatMap(({ path, kind }) => (kind === 'delete' ? [{ from: path }] : []));
  const members = Object.entries(membersOf(callInputValue(call)));
  if (!namesFile.test(own) && members.some(isAboutContent)) return [];
  const under = (keys: RegExp): string | undefined =>
    members.flatMap(([key, value]) => (keys.test(key) && isPath(value) ? [value] : []))[0];
  const from = isMoving ? (under(fromKeys) ?? under(pathKeys)) : under(pathKeys);
  if (from === undefined) return [];
  return [movedTo(from, isMoving ? under(toKeys) : undefined)];
}

/** A place in a file, or a text of it: a tool called `rename` or `delete` that is given such is about what is in the file. */
function isAboutContent([key, value]: readonly [string, unknown]): boolean {
  if (typeof value === 'string') return ![pathKeys, fromKeys, toKeys].some((keys) => keys.test(key));
  return typeof value !== 'boolean';
}

const recursive = /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)$/;

function movedBy(statement: string): MovedFile[] {
  const [program, ...given] = wordsOf(statement);
  const paths = given.filter((word) => !word.startsWith('-')).map(withoutDot);
  if (!paths.every((path) => /^[\w.@+~/-]+$/.test(path))) return [];
  if (program === 'rm')
    return paths.map((from) =>
      given.some((word) => recursive.test(word)) ? movedTo(from, undefined) : { from },
    );
  const [from, to, ...others] = paths;
  if (program !== 'mv' || from === undefined || to === undefined || others.length > 0) return [];
  return [movedTo(from, to)];
}

/** A name without an ending may be that of a folder: then it is not known what lies where it goes. */
function movedTo(given: string, to: string | undefined): MovedFile {
  const from = given.replace(/(?<=[^/])\/+$/, '');
  if (to === undefined) return { from, isFolder: true };
  const goal = goalOf(from, to);
  const isKnown = !isScratch.test(goal) && /[^/.][^/]*\.\w{1,10}$/.test(goal);
  return isKnown ? { from, to: goal, isFolder: true } : { from, isFolder: true };
}

function goalOf(from: string, to: string): string {
  return to.endsWith('/') ? `${to}${from.slice(from.lastIndexOf('/') + 1)}` : to;
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestPath && !lineBreak.test(value);
}
