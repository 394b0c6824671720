import { commandOf, describeCall, membersOf, pathKeys, toolWords } from './calls.ts';
import { quotedText, withoutHeredocs } from './command-key.ts';
import { tellsFailedOutput } from './failures.ts';
import { callInputValue, entryText } from '../transcript/entry-text.ts';
import { injectedKindOf } from '../transcript/own-words.ts';
import type { CallPart, Entry } from '../transcript/entry.ts';

const longestPath = 400;
// Whatever a terminal, an editor or a model takes for the end of a line.
const lineBreak = /[\p{Cc}\u2028\u2029]/u;

/** What the words of a call tell of files. */
export interface FileChanges {
  /** Written, edited, or put in their places. */
  readonly changed: readonly string[];
  /** Files and folders that are not there any more, or may not be. What is among `changed`, too, has come back. */
  readonly gone: readonly string[];
}

const nothing: FileChanges = { changed: [], gone: [] };

/**
 * The files that an edit changes, a command writes, or either takes away or moves; of an edit that names none, the one that
 * its output says is open.
 */
export function fileChanges(call: CallPart, output: string): FileChanges {
  const { kind, content, command } = describeCall(call);
  const input = callInputValue(call);
  const members = Object.entries(membersOf(input));
  if (command !== undefined)
    return kind === 'command' ? commandChanges(command, commandOf(call.name, input) ?? '') : nothing;
  if (removing.test(toolWords(call.name.split(/__|[.:/]/).at(-1) ?? '').join('')))
    return { changed: [], gone: members.map(([, value]) => value).filter(isPath) };
  if (kind !== 'edit') return nothing;
  const patched = patchChanges(content);
  if (patched.changed.length + patched.gone.length > 0) return patched;
  const path = members.find(([key, value]) => pathKeys.test(key) && isPath(value))?.[1];
  if (isPath(path)) return { changed: [path], gone: [] };
  const listed = listedChanges(input);
  const open = listed === nothing ? openFileIn(output) : undefined;
  return open === undefined ? listed : { changed: [open], gone: [] };
}

// SWE-agent: the file that is open stands around what is shown of it.
const openFile = /^\(Open file: (?!n\/a\))([^\n]{1,400})\)$/m;
const shownFile = /^\[File: ([^\n]{1,400}) \(\d{1,9} lines total\)\]$/m;

/** The file that an editor says is open in it; `undefined` where it says none. */
function openFileIn(output: string): string | undefined {
  const path = openFile.exec(output)?.[1] ?? shownFile.exec(output)?.[1];
  return isPath(path) ? path : undefined;
}

const writtenEdit = /^\s*```[^\n]{0,20}\nedit \d{1,9}:\d{1,9}\n/;

/** The file of an edit that the assistant wrote as text, as what came of it names it. */
export function filesEditedInText(said: Entry, outcome: Entry): string[] {
  if (said.role !== 'assistant' || injectedKindOf(outcome) !== 'output') return [];
  const output = entryText(outcome);
  const path = isWrittenEdit(entryText(said)) && !tellsFailedOutput(output) ? openFileIn(output) : undefined;
  return path === undefined ? [] : [path];
}

/** Whether the action that a text of the assistant ends with is an edit of SWE-agent's editor. */
function isWrittenEdit(text: string): boolean {
  const end = text.trimEnd().length - 3;
  return text.startsWith('```', end) && writtenEdit.test(text.slice(text.lastIndexOf('```', end - 1)));
}

// `delete_lines` and `rename_symbol` are about what is in a file.
const removing = /^(?:delete|remove|move|rename)(?:file|path|directory|folder|dir)?$/;

const patchedFile = /^\*\*\* (?:Add File|Update File|Move to): (.{1,400})$/gm;
const patchedAway = /^\*\*\* (?:Delete File: (.{1,400})$|Update File: (.{1,400})\r?\n\*\*\* Move to: )/gm;

function patchChanges(patch: string): FileChanges {
  const named = (pattern: RegExp): string[] =>
    [...patch.matchAll(pattern)].map(([, path, from]) => (path ?? from ?? '').trim()).filter(isPath);
  const gone = named(patchedAway);
  return { changed: named(patchedFile).filter((path) => !gone.includes(path)), gone };
}

/** What a run of Codex tells of its edits: `changes` with a path and a kind each. */
function listedChanges(input: unknown): FileChanges {
  const { changes } = membersOf(input);
  if (!Array.isArray(changes)) return nothing;
  const listed = changes.map(membersOf);
  const paths = (isDeleted: boolean): string[] =>
    listed
      .filter(({ kind }) => (kind === 'delete') === isDeleted)
      .map(({ path }) => path)
      .filter(isPath);
  return { changed: paths(false), gone: paths(true) };
}

const longestScript = 20_000;
const plainPath = '([\\w.@+~/-]{1,400})(?![^\\s;&|)])';
const writes = [
  new RegExp(`\\b(?:cat|echo|printf)\\b[^|;&\\n>]*>{1,2} {0,3}${plainPath}`, 'g'),
  new RegExp(`\\btee (?:-a )?${plainPath}`, 'g'),
  new RegExp(`\\bsed (?:-[A-Za-z]{1,3} ){0,3}-i\\S{0,9} (?:-[A-Za-z] )?"" ${plainPath}`, 'g'),
];
const isScratch = /^(?:\/tmp\/|\/dev\/|\/var\/|\/private\/|-)|\.(?:log|out)$|\/$/;
// What it writes beside where it went is none of the project.
const goesElsewhere = /^\s*cd\s+["']?\/(?:tmp|var|private)\b/;
const takesAway = /(?:^|[;&|\n(]|\b(?:git|sudo|then|do|else)\b)[^\S\n]{0,99}(rm|mv) ([^;&|\n]{1,4000})/g;

/** The files that a script writes by name, and those that it names to take them away. What a program does by itself is not known. */
function commandChanges(script: string, given: string): FileChanges {
  if (script.length > longestScript || goesElsewhere.test(given)) return nothing;
  const plain = withoutHeredocs(script, '<<""')
    .replace(quotedText, '""')
    .replace(/^\s{0,99}#.*$/gm, '');
  const found = writes.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, path = '']) => path));
  const changed = [...new Set(found)].filter((path) => /[./]/.test(path) && !isScratch.test(path));
  const gone = [...plain.matchAll(takesAway)].flatMap(([, program, words = '']) => {
    const paths = words.split(/\s+/).filter((word) => /^[\w.@+~/]/.test(word));
    return program === 'mv' ? paths.slice(0, -1) : paths;
  });
  return { changed, gone };
}

/** Whether a file is what is named: itself, by the end of its path, or what lies in a folder of that name. */
export function isNamedBy(path: string, name: string): boolean {
  const plain = name.replace(/^\.\//, '').replace(/\/+$/, '');
  if (plain !== '' && `${path}/`.startsWith(`${plain}/`)) return true;
  // A name without a folder may be that of a file in any of them.
  return plain.includes('/') && `${path}/`.includes(`/${plain}/`);
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestPath && !lineBreak.test(value);
}
