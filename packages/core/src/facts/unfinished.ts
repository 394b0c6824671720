import { oneLine } from '../text/cut-text.ts';
import { describeCall, toolWords } from './calls.ts';
import { isMasked, quotedText } from './command-key.ts';
import { exitCodeOf } from './failures.ts';
import { callInputValue, resultText } from '../transcript/entry-text.ts';
import type { CallPart, Entry, RecallId, ResultPart } from '../transcript/entry.ts';
import type { ChangedFile, ChangedSince, LastCommit, RunningTask } from '../transcript/summary.ts';

// What is not finished: files that were edited since they were committed or checked, and tasks that run in the background.

export type KnownCommit = Omit<LastCommit, 'changed'>;

const commits = /\bgit (?:-[cC] \S{1,200} )?commit\b(?!-)/;
// What brings files back or takes them away: what was changed before says nothing about the working tree any more.
const takesBack = /\bgit (?:-[cC] \S{1,200} )?(?:checkout|switch|restore|reset|stash|clean|revert)\b/;
const printedCommit = /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] [^\n]{1,200}$/m;
const longestCommand = 20_000;
const lineCharacters = 140;

/** The last commit after a call that did not fail; what was known before it where it is none. */
export function commitAfter(
  call: CallPart,
  result: ResultPart,
  recallId: RecallId,
  known: KnownCommit | undefined,
): KnownCommit | undefined {
  const { kind, command } = describeCall(call);
  if (kind !== 'command' || command === undefined || !command.includes('git ')) return known;
  const plain = command.slice(0, longestCommand).replace(quotedText, '""');
  const found = commits.exec(plain);
  const line = found ? printedCommit.exec(resultText(result))?.[0] : undefined;
  if (found && (line !== undefined || !isMasked(plain, found.index + found[0].length)))
    return { recallId, line: oneLine(line ?? '', lineCharacters), since: recallId };
  return known && takesBack.test(plain) ? { ...known, since: recallId } : known;
}

// Nothing is built from them, and no test runs them.
const isProse = /\.(?:mdx?|txt|rst|adoc|log|png|jpe?g|gif|svg|pdf)$/i;

/** What was edited behind a message, but for documents. */
export function sourcesChangedSince(
  recallId: RecallId,
  files: Iterable<ChangedFile>,
): ChangedSince | undefined {
  const changed = behind(recallId, files).filter(({ path }) => !isProse.test(path));
  const last = changed.at(-1);
  return last && { files: changed.length, last: last.recallId };
}

// Files outside a project are never committed.
const isOutside = /^(?:\/tmp\/|\/var\/|\/private\/)/;
const mostPaths = 3;

/** The commit with the files that were edited behind it, the newest of them. */
export function withChanged(commit: KnownCommit, files: Iterable<ChangedFile>): LastCommit {
  const { recallId, line, since } = commit;
  const changed = behind(since, files).filter(({ path }) => !isOutside.test(path));
  return { recallId, line, since, changed: changed.slice(-mostPaths).map(({ path }) => path) };
}

function behind(recallId: RecallId, files: Iterable<ChangedFile>): ChangedFile[] {
  const ordinal = ordinalOf(recallId);
  return [...files].filter((file) => ordinalOf(file.recallId) > ordinal);
}

function ordinalOf(recallId: RecallId): number {
  return Number(recallId.slice(1));
}

// Claude Code, Codex: how a tool says that what it started goes on without it, and under which id.
const started =
  /(?:running in (?:the )?background with (?:ID|task_id)|process running with session ID|agent launched[^\n]{0,80}\nagentId)\W{1,4}([\w-]{1,64})/i;
const ended =
  /<status>(?:completed|failed|killed|stopped)<\/status>|\bstatus\W{1,4}(?:completed|failed|killed|stopped)\b/i;
const stopWords = new Set('kill stop cancel terminate'.split(' '));
const readCharacters = 1_000;
const labelCharacters = 140;
const mostRunning = 6;

/** What was started in the background, by its id, and nothing has said to have ended. */
export type Running = Map<string, RunningTask>;

/** Notes what a call has started or ended. */
export function noteRunning(running: Running, call: CallPart, result: ResultPart, recallId: RecallId): void {
  const text = resultText(result).slice(0, readCharacters);
  for (const id of idsIn(call)) if (running.has(id) && hasEnded(call, result, text)) running.delete(id);
  const id = result.isError ? undefined : started.exec(text)?.[1];
  if (id === undefined || running.has(id)) return;
  running.set(id, { id, recallId, label: oneLine(describeCall(call).label, labelCharacters) });
  const oldest = running.keys().next().value;
  if (running.size > mostRunning && oldest !== undefined) running.delete(oldest);
}

/** Notes what a client tells between messages: the task with this id has ended. */
export function noteEnded(running: Running, { role, parts }: Entry): void {
  if (running.size === 0 || role === 'assistant') return;
  for (const part of parts) {
    if (part.type !== 'text' || !ended.test(part.text.slice(0, readCharacters))) continue;
    for (const id of running.keys()) if (part.text.slice(0, readCharacters).includes(id)) running.delete(id);
  }
}

function hasEnded(call: CallPart, result: ResultPart, text: string): boolean {
  return (
    result.isError ||
    toolWords(call.name).some((word) => stopWords.has(word)) ||
    exitCodeOf(text) !== undefined ||
    ended.test(text)
  );
}

/** The short values of a call: one of them may be the id of a task. */
function idsIn(call: CallPart): string[] {
  const input = callInputValue(call);
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}
