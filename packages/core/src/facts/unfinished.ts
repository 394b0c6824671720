import { oneLine } from '../text/cut-text.ts';
import { describeCall, membersOf, toolWords } from './calls.ts';
import { bareScript, isMasked } from './command-key.ts';
import { programSteps } from './programs.ts';
import { exitCodeOf, isFailedCall } from './failures.ts';
import { callInputValue, plainResultText } from '../transcript/entry-text.ts';
import { messageOrdinal } from '../transcript/entry.ts';
import type { CallPart, Entry, RecallId, ResultPart } from '../transcript/entry.ts';
import type { ChangedFile, ChangedSince, LastCommit, Outcome, RunningTask } from '../transcript/summary.ts';

// What is not finished: files that were edited since they were committed or checked, and tasks that run in the background.

export type KnownCommit = Omit<LastCommit, 'changed'>;

const options = '(?:(?:-[cC] \\S{1,200}|--[\\w-]{1,40}(?:=\\S{1,200})?) ){0,6}';
const madeCommit = new RegExp(
  `\\bgit ${options}commit(?![\\w-])(?![^;&|\\n]{0,400} (?:--dry-run|--help|-h)(?![\\w-]))[^;&|\\n]{0,400}`,
  'g',
);
// What may make a commit, or move to another.
const mayMove = new RegExp(
  `\\bgit ${options}(?:commit|revert|cherry-pick|merge|rebase|reset|pull|am|checkout(?! -b)|switch(?! -c)|restore(?! --staged)|stash(?! (?:list|show))|clean)\\b(?!-)[^;&|\\n)]{0,200}`,
  'g',
);
const printedCommit = /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] [^\n]{1,200}$/gm;
// The first line of what `-m` says, also where a heredoc writes it.
const subject = new RegExp(
  `\\bgit ${options}commit(?![\\w-])[^;&|\\n"']{0,400}? (?:-[a-zA-Z]{0,4}m ?|--message[ =])(?:"(?:\\$\\(cat <<-?[^\\S\\n]*['"\\\\]?\\w{1,40}['"]?[^\\S\\n]*\\n\\s*)?((?:[^"\\\\\\n]|\\\\.){1,300})|'([^'\\n]{1,300})|([\\w:./#-]{1,200}))`,
  'g',
);
const hash = /\b(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\b/g;
const longestScript = 20_000;
const longestCommand = 4_000;
const lineCharacters = 140;
const movedCharacters = 60;

/**
 * The last commit after a call, if one is known: a new one where the call made it, and what may have moved from it or taken
 * edits back where git was told to do such.
 */
export function commitAfter(
  call: CallPart,
  result: ResultPart,
  recallId: RecallId,
  known: KnownCommit | undefined,
): KnownCommit | undefined {
  const { kind, command } = describeCall(call);
  if (kind !== 'command' || command === undefined || !command.includes('git ')) return known;
  const { plain } = bareScript(command);
  const move = [...plain.matchAll(mayMove)].at(-1)?.[0];
  if (move === undefined) return known;
  const text = plainResultText(result);
  const line = [...text.matchAll(printedCommit)].at(-1)?.[0];
  if (line !== undefined) return { recallId, line: oneLine(line, lineCharacters) };
  if (/nothing (?:added )?to commit|no changes added to commit/.test(text)) return known;
  const hasFailed = isFailedCall(call, result);
  const made = hasFailed ? undefined : [...plain.matchAll(madeCommit)].at(-1);
  if (made && !isMasked(plain, made.index + made[0].length))
    return { recallId, line: oneLine(`${onlyHash(text)}${subjectOf(command)}`, lineCharacters) };
  const label = `${oneLine(move.replace(/"\d{1,4}"/g, '"…"'), movedCharacters)}${hasFailed ? ' (failed)' : ''}`;
  return known && { ...known, moved: { recallId, label } };
}

/** What a command says that its last commit is about, where the shell puts nothing into it. */
function subjectOf(command: string): string {
  const said = [...command.slice(0, longestScript).matchAll(subject)].at(-1);
  const [, double, single, bare] = said ?? [];
  if (double !== undefined && /(?<!\\)[$`]/.test(double) && !said?.[0].includes('$(cat <<')) return '';
  return (double?.replace(/\\(["\\`$])/g, '$1') ?? single ?? bare ?? '').trim();
}

/** Of an output that is not git's own (`ok 66d2093`): the only hash in it. */
function onlyHash(text: string): string {
  const told = new Set(text.slice(0, readCharacters).match(hash));
  return told.size === 1 ? `${[...told].join('')} ` : '';
}

// Nothing is built from them, and no test runs them.
const isProse = /\.(?:mdx?|txt|rst|adoc|log|png|jpe?g|gif|svg|pdf)$/i;

/** What was edited behind a message, but for documents. */
function sourcesChangedSince(recallId: RecallId, files: Iterable<ChangedFile>): ChangedSince | undefined {
  const changed = behind(recallId, files).filter(({ path }) => !isProse.test(path));
  const last = changed.at(-1);
  return last && { files: changed.length, last: last.recallId };
}

/** The check with what was edited behind it. */
export function withChanges(check: Outcome, files: ReadonlyMap<string, ChangedFile>): Outcome {
  const changedSince = sourcesChangedSince(check.recallId, files.values());
  return changedSince ? { ...check, changedSince } : check;
}

// Files outside a project are never committed.
const isOutside = /^(?:\/tmp\/|\/var\/|\/private\/)/;
const mostPaths = 3;

/** The commit with the files that were edited behind it, the newest of them. */
export function withChanged(commit: KnownCommit, files: Iterable<ChangedFile>): LastCommit {
  const { recallId, line, moved } = commit;
  const all = [...files];
  // A project may lie there, too.
  const isProjectOutside = all.length > 1 && all.every(({ path }) => isOutside.test(path));
  // What was edited before may have been taken back.
  const changed = behind(moved?.recallId ?? recallId, all).filter(
    ({ path }) => isProjectOutside || !isOutside.test(path),
  );
  const paths = changed.slice(-mostPaths).map(({ path }) => path);
  return { recallId, line, ...(moved ? { moved } : {}), changed: paths };
}

function behind(recallId: RecallId, files: Iterable<ChangedFile>): ChangedFile[] {
  const ordinal = messageOrdinal(recallId);
  return [...files].filter((file) => messageOrdinal(file.recallId) > ordinal);
}

// How a tool says that what it started goes on without it, and under which id: Claude Code where it was asked to, and
// Codex behind the lines about the call. The same words in a file or a page say nothing.
const startedAsAsked = /^[^\n]{0,200}(?:with (?:ID|task_id)|\nagentId)\W{1,4}([\w-]{1,64})/;
const startedByCodex = /^(?:[^\n]{0,200}\n){0,6}?process running with session ID\W{1,4}([\w-]{1,64})/i;
const startedByCopilot =
  /^<?(?:command|agent) started in background with (?:shellId|agent_id)\W{1,4}([\w-]{1,64})/i;
const codexTools = new Set(['exec_command', 'write_stdin']);
const ended =
  /<status>(?:completed|failed|killed|stopped)<\/status>|\bstatus\W{1,4}(?:completed|failed|killed|stopped)\b/i;
const stopWords = new Set('kill stop cancel terminate'.split(' '));
const readCharacters = 1_000;
const labelCharacters = 140;
const mostRunning = 6;

/** What was started in the background, by its id, and nothing has said to have ended. */
export type Running = Map<string, RunningTask>;

/**
 * The call that started what a call finds to have ended, with what came back, as if it had come back at once; only where
 * the exit code is told.
 */
export function endedTask(
  running: Running,
  call: CallPart,
  result: ResultPart,
): { readonly call: CallPart; readonly result: ResultPart; readonly recallId: RecallId } | undefined {
  if (running.size === 0 || describeCall(call).command !== undefined) return undefined;
  const members = Object.entries(membersOf(callInputValue(call)));
  const task = members
    .map(([name, value]) => (idMember.test(name) ? running.get(String(value)) : undefined))
    .find((one) => one !== undefined);
  if (task?.command === undefined) return undefined;
  const code = exitCodeOf(plainResultText(result));
  if (code === undefined || stoppedCodes.has(code)) return undefined;
  // Ctrl-C ends a server that went well.
  if (members.some(([, value]) => typeof value === 'string' && value.includes('\u0003'))) return undefined;
  const name = 'exec_command';
  const input: CallPart['input'] = { type: 'value', value: { command: task.command }, at: [] };
  return { call: { ...call, name, input }, result: { ...result, name }, recallId: task.recallId };
}

const idMember = /(?:^|_)id$|[a-z]Id$/;
// SIGINT, SIGKILL, SIGTERM.
const stoppedCodes = new Set([130, 137, 143]);

/** Notes what a call has started or ended; gives whether it goes on. */
export function noteRunning(
  running: Running,
  call: CallPart,
  result: ResultPart,
  recallId: RecallId,
): boolean {
  const text = plainResultText(result).slice(0, readCharacters);
  if (running.size > 0)
    for (const id of idsIn(call)) if (running.has(id) && hasEnded(call, result, text)) running.delete(id);
  const programs = describeCall(call).command;
  if (programs !== undefined) notePrograms(running, programs, !isFailedCall(call, result), recallId);
  const id = startedBy(call, result, text);
  if (id === undefined) return false;
  if (running.has(id)) return true;
  const { label, command } = describeCall(call);
  addRunning(running, {
    id,
    recallId,
    label: oneLine(label, labelCharacters),
    ...(command !== undefined && command.length <= longestCommand ? { command } : {}),
  });
  return true;
}

function addRunning(running: Running, task: RunningTask): void {
  running.delete(task.id);
  running.set(task.id, task);
  const oldest = running.keys().next().value;
  if (running.size > mostRunning && oldest !== undefined) running.delete(oldest);
}

const mayLeave = /\s&(?![&>])/;
const mayEndPrograms = /kill|fuser|Stop-Process|wait|fg/;

/** Notes what a command has put into the background of its shell, and what it ends of it. */
function notePrograms(running: Running, command: string, went: boolean, recallId: RecallId): void {
  const mayEnd = running.size > 0 && mayEndPrograms.test(command);
  if (!mayEnd && !mayLeave.test(command)) return;
  for (const step of programSteps(command)) {
    if (step.kind === 'start' && went) {
      const { program, label, command: started } = step;
      addRunning(running, { id: program, recallId, label, command: started, isProgram: true });
    } else if (step.kind === 'end')
      for (const { id, isProgram, command: started = '' } of running.values())
        if (isProgram && step.ends(started)) running.delete(id);
  }
}

function startedBy(call: CallPart, { isError }: ResultPart, text: string): string | undefined {
  if (isError) return undefined;
  const { mode } = membersOf(callInputValue(call));
  // Copilot, where it was asked to.
  if (mode === 'async' || mode === 'background') return startedByCopilot.exec(text)?.[1];
  if (codexTools.has(call.name)) return startedByCodex.exec(text)?.[1];
  const id = startedAsAsked.exec(text)?.[1];
  if (id === undefined) return undefined;
  return membersOf(callInputValue(call))['run_in_background'] === true ? id : undefined;
}

/** Notes what a client tells between messages: the task with this id has ended. */
export function noteEnded(running: Running, { role, parts }: Entry): void {
  if (running.size === 0 || role === 'assistant') return;
  for (const part of parts) {
    if (part.type !== 'text' || !ended.test(part.text.slice(0, readCharacters))) continue;
    const words = new Set(part.text.slice(0, readCharacters).split(/[^\w-]+/));
    for (const id of running.keys()) if (words.has(id)) running.delete(id);
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
  return Object.values(membersOf(callInputValue(call))).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}
