import { quotedText } from './command-key.ts';
import { oneLine } from '../text/cut-text.ts';
import { callInputValue, jsonText } from '../transcript/entry-text.ts';
import { remembered } from '../transcript/memory.ts';
import type { CallPart } from '../transcript/entry.ts';
import type { LineKind } from '../transcript/summary.ts';

/** What a call does, and what it says: in one line, and its long values. */
interface DescribedCall {
  readonly kind: Exclude<LineKind, 'user' | 'aside' | 'output' | 'instructions' | 'said'>;
  readonly label: string;
  /** Long values: what was written, a script, a prompt. */
  readonly content: string;
  /** What a command runs, to tell a later success of the same. */
  readonly command?: string;
}

const shellWords = new Set(
  'bash shell sh zsh exec execute command terminal powershell cmd console'.split(' '),
);
const editWords = new Set(
  'write edit multiedit create patch replace insert delete remove rename move append save overwrite modify change'.split(
    ' ',
  ),
);
const lookWords = new Set(
  'read view cat open load show grep glob search find list ls tree fetch get snapshot'.split(' '),
);
const askNames =
  /^(?:ask(?:the)?user(?:questions?|input|choice|confirmation)?|ask(?:a)?followup(?:questions?)?|followupquestions?|(?:ask|askfor|request|get|await)?userinput|vscodeaskquestions?|askhuman|exitplanmode)$/;
// Behind the name of a server they ask that server.
const ownAskNames = /^(?:question|askquestions?)$/;

/** Whether a tool asks the user: what it returns are the user's words. */
export function asksUser(name: string): boolean {
  const own = name.split(/__|[.:/]/).at(-1) ?? '';
  const plain = own.toLowerCase().replace(/[^a-z]/g, '');
  return askNames.test(plain) || (own === name && ownAskNames.test(plain));
}

/** Entries, failures and the state all ask. */
export const describeCall = remembered(describe);

function describe(call: CallPart): DescribedCall {
  const input = callInputValue(call);
  const command = commandOf(call.name, input);
  if (command !== undefined) return describeCommand(command);
  const { short, content } = describeInput(input);
  const label = short === '' ? call.name : `${call.name} ${short}`;
  return { kind: kindOf(call.name, input), label: oneLine(label, 1_200), content };
}

function kindOf(name: string, input: unknown): DescribedCall['kind'] {
  if (asksUser(name)) return 'answer';
  const words = toolWords(name);
  const edits = words.some((word) => editWords.has(word));
  if (edits && onlyLooks(input)) return 'look';
  if (hasPatch(input) || (edits && words.some((word) => fileWords.has(word)))) return 'edit';
  if (edits) return writesText(input) ? 'edit' : 'call';
  return words.some((word) => lookWords.has(word)) ? 'look' : 'call';
}

const doneKeys = ['command', 'action', 'operation'];

/** An editor of several commands (`str_replace_editor`, `command: "view"`) was only asked to show something. */
function onlyLooks(input: unknown): boolean {
  const members = membersOf(input);
  const done = doneKeys.map((key) => members[key]).find(isText);
  return done !== undefined && lookWords.has(done.toLowerCase());
}

const fileWords = new Set('file files notebook patch edit write multiedit'.split(' '));

function hasPatch(input: unknown): boolean {
  return strings(input).some((text) => text.startsWith('*** Begin Patch'));
}

// Not `body` or `text`, which may be a remark about the file.
const fileBody = /^(?:content|file_?text|patch|diff|code)$/i;

/** A text into a file, however short, or a long one anywhere. */
function writesText(input: unknown): boolean {
  if (typeof input === 'string') return input.length > 80;
  const texts = Object.entries(membersOf(input)).filter((entry): entry is [string, string] =>
    isText(entry[1]),
  );
  const others = texts.filter(([key]) => !pathKeys.test(key));
  const hasPath = others.length < texts.length;
  return others.some(
    ([key, text]) => text.length > 80 || (hasPath && (fileBody.test(key) || isNewText(key))),
  );
}

function strings(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  return Object.values(membersOf(input)).filter((value) => typeof value === 'string');
}

/** The members of an input by their names, or of a list by their places; none where it is neither. */
export function membersOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}

/** `mcp__fs__readFile` → `mcp`, `fs`, `read`, `file`. */
export function toolWords(name: string): string[] {
  const parted = name.slice(0, 200).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return parted.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

const commandKeys = ['command', 'cmd', 'script', 'commands', 'commandLine'];

export function commandOf(name: string, input: unknown): string | undefined {
  if (!toolWords(name).some((word) => shellWords.has(word))) return undefined;
  if (typeof input === 'string') return input;
  const members = membersOf(input);
  for (const key of commandKeys) {
    const value = members[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return argvText(value.map(String));
  }
  return undefined;
}

/** `["bash", "-lc", "…"]` is its last string. */
function argvText(argv: readonly string[]): string {
  const [first = '', second = ''] = argv;
  const isWrapped = /(?:^|\/)(?:ba|z|da|fi)?sh$/.test(first) && /^-\w*c$/.test(second);
  return isWrapped ? (argv.at(-1) ?? '') : argv.join(' ');
}

const shellOnce = /^\s*(?:\/[\w/]{1,40}\/)?(?:ba|z|da)?sh -l?c (['"])/;
const longestUnwrapped = 20_000;

/** `bash -lc '…'` is what stands between the quotes. */
function unwrapped(command: string): string {
  const [head = '', mark = ''] = shellOnce.exec(command) ?? [];
  const whole = command.trimEnd();
  if (head === '' || whole.length > longestUnwrapped || !whole.endsWith(mark)) return command;
  const inner = whole.slice(head.length, -1);
  if (mark === "'") return inner.includes("'") ? command : inner;
  return /(?<!\\)"/.test(inner) ? command : inner.replace(/\\(["\\$`])/g, '$1');
}

const maxHeadCharacters = 1_200;
const moves = /^\s*cd\s+(?:"[^"\n]*"|'[^'\n]*'|[^\s;&|]+)\s*(?:&&|;|\n)\s*(?:\\\n\s*)?/;

// `printf '\n--\n'` between two commands begins no script, though its line feeds come as such.
const quotedBreak = /(['"])[^'"\n]{0,20}\n[^'"]{0,20}\1/g;

function describeCommand(full: string): DescribedCall {
  const command = unwrapped(full).replace(moves, '').trim();
  const [first = '', ...rest] = command
    .replace(quotedBreak, (quoted) => quoted.replaceAll('\n', ' '))
    .split('\n');
  const isScript = rest.length > 0;
  const label = oneLine(isScript ? first : command, maxHeadCharacters);
  if (/^\s*(?:apply_patch|applypatch)\b/.test(command))
    return { kind: 'edit', label: 'apply_patch', content: command, command };
  return {
    kind: isLook(command) ? 'look' : 'command',
    label: `$ ${label}`,
    content: isScript ? rest.join('\n') : '',
    command,
  };
}

const looks =
  /^(?:cat|head|tail|less|more|nl|bat|wc|ls|ll|tree|pwd|which|type|file|stat|du|df|grep|egrep|fgrep|rg|ag|ack|find|fd|sort|uniq|cut|awk|jq|xxd|hexdump|echo|printf|true|test|column|tr|diff|git (?:-C \S+ )?(?:status|log|diff|show|branch|blame|ls-files|ls-tree|cat-file|merge-base|rev-list|describe|shortlog|reflog|grep|rev-parse|remote)|sed -n|gh (?:\w+ )?(?:list|view|status|diff)|curl(?!.*(?: -X ?(?:POST|PUT|PATCH|DELETE)| -d | --data| -F | -o | -O| -T )))\b/;
// What a program says of itself.
const tellsItself =
  /^(?:man|command -v|git ls-remote)\b|\s(?:--help|--version)$|^[\w./-]+(?: [\w-]+){0,3} -h$/;

/** Whether a command only looks: every program in it prints what there is. */
function isLook(command: string): boolean {
  if (command.length > 2_000) return false;
  const bare = command.replace(quotedText, '""').replace(/\d?>{1,2}\s*(?:&\d|\/dev\/null)/g, '');
  if (bare.includes('>')) return false;
  const parts = bare.split(/\s*(?:&&|\|\||;|\||\n)\s*/).filter((part) => part.trim() !== '');
  return (
    parts.length > 0 &&
    parts.every((part) => {
      const program = part.trim().replace(/^(?:sudo|time|env|\w+=\S*)\s+/, '');
      return looks.test(program) || tellsItself.test(program);
    })
  );
}

const primary = [
  'file_path',
  'path',
  'notebook_path',
  'filename',
  'file',
  'url',
  'pattern',
  'query',
  'regex',
  'description',
  'name',
  'title',
  'subject',
];
// The first of them need no name.
const unnamedKeys = 9;
const maxShortCharacters = 160;

/** The deciding value first, the other short ones by name, long ones apart. */
function describeInput(input: unknown): { short: string; content: string } {
  if (typeof input === 'string') {
    return input.length <= maxShortCharacters && !input.startsWith('*** ')
      ? { short: oneLine(input, maxShortCharacters), content: '' }
      : { short: patchTitle(input), content: input };
  }
  if (typeof input !== 'object' || input === null) return { short: jsonText(input), content: '' };
  const short: string[] = [];
  const long: string[] = [];
  const entries = Object.entries(input).sort(([a], [b]) => rankOf(a) - rankOf(b));
  const hasNewText = entries.some(([key]) => isNewText(key));
  const former = entries
    .map(([, value]) => value)
    .find((value, at) => isText(value) && isFormerText(entries[at]?.[0] ?? '', hasNewText));
  for (const [key, value] of entries) {
    const text = typeof value === 'string' ? value : (editedLines(value) ?? jsonText(value));
    if (text === '' || isFormerText(key, hasNewText) || isUnsetFlag(key, value)) continue;
    const isShort = text.length <= maxShortCharacters && !text.trim().includes('\n');
    if (isShort) short.push(rankOf(key) < unnamedKeys ? text : `${key}=${text}`);
    else if (text.startsWith('*** Begin Patch')) long.push(patchedLines(text));
    else if (isNewText(key) && former !== undefined) long.push(changedLines(former, text));
    else long.push(entries.length > 1 && !isBodyKey(key) ? `${key}: ${text}` : text);
    if (text.startsWith('*** Begin Patch')) short.push(patchTitle(text));
  }
  return { short: short.join(' '), content: long.join('\n') };
}

/** What a list of edits puts in, one behind the other (`edits: [{ oldText, newText }]`); `undefined` for anything else. */
function editedLines(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const edits = value.map(newLines);
  return edits.every(isText) ? edits.join('\n') : undefined;
}

function newLines(edit: unknown): string | undefined {
  const entries = Object.entries(membersOf(edit));
  const text = entries.find(([key]) => isNewText(key))?.[1];
  if (!isText(text)) return undefined;
  const former = entries.find(([key]) => isFormerText(key, true))?.[1];
  return isText(former) ? changedLines(former, text) : text;
}

const mostCompared = 200_000;

/** What a text has that the former has not, line by line; where that is nothing, what it has no more. */
function changedLines(former: string, text: string): string {
  if (former.length + text.length > mostCompared) return text;
  const added = linesBeside(text, former);
  return added === '' ? linesBeside(former, text, '- ') : added;
}

function linesBeside(text: string, other: string, mark = ''): string {
  const known = new Set(other.split('\n').map((line) => line.trim()));
  const lines = text.split('\n').filter((line) => !known.has(line.trim()));
  return lines.map((line) => mark + line).join('\n');
}

/** A patch without the lines that it leaves as they are; what it takes out stands for itself where it puts nothing in. */
function patchedLines(patch: string): string {
  const lines = patch.split('\n');
  const puts = lines.some((line) => line.startsWith('+'));
  return lines.filter((line) => /^(?:\*\*\*|@@|\+)/.test(line) || (!puts && line.startsWith('-'))).join('\n');
}

function rankOf(key: string): number {
  const rank = primary.indexOf(key);
  return rank < 0 ? primary.length : rank;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

// What an edit replaces is what was there: the new text says more.
function isFormerText(key: string, hasNewText: boolean): boolean {
  if (/^old_?(?:string|str|text|code|content)$/i.test(key)) return true;
  return hasNewText && /^(?:(?:old|original|former|search)_?(?:string|str|text|value)?|find)$/i.test(key);
}

function isNewText(key: string): boolean {
  return /^(?:(?:new|replace|replacement|updated)_?(?:string|str|text|code|content|value)?|with)$/i.test(key);
}

// Newer versions of Claude Code write it with each edit.
function isUnsetFlag(key: string, value: unknown): boolean {
  return key === 'replace_all' && value === false;
}

function isBodyKey(key: string): boolean {
  return /^(?:content|new_?(?:string|str|text|code)|text|body|file_text|prompt|patch|diff|edits|input|code)$/i.test(
    key,
  );
}

/** The files that a patch names. */
function patchTitle(text: string): string {
  if (!text.includes('*** ')) return '';
  const named = text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$/gm);
  return [...named].map(([, path = '']) => path.trim()).join(' ');
}

export const pathKeys = /^(?:file_?path|path|notebook_?path|file_?name|file|target_?file|relative_?path)$/i;
