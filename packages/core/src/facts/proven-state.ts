import { oneLine } from '../text/cut-text.ts';
import { describeCall, membersOf, toolWords } from './calls.ts';
import { fileChanges, filesEditedInText, isNamedBy } from './changed-files.ts';
import { isRequest } from '../transcript/own-words.ts';
import { checkOutcome, isVerification } from './check-outcome.ts';
import { commitAfter, endedTask, noteEnded, noteRunning, withChanged, withChanges } from './unfinished.ts';
import {
  behindWrittenFiles,
  checkKey,
  checkWords,
  commandParts,
  coversRun,
  coversTask,
  failureKey,
  isPartOf,
  plainCommand,
  isProbe,
  isSettledBy,
  mayCoverTasks,
  partsOf,
  ranInQuotes,
  tasksRun,
  withoutPart,
} from './command-key.ts';
import {
  complainsOfGit,
  isAborted,
  isFailedCall,
  isRefused,
  lastErrorLine,
  spokenResult,
} from './failures.ts';
import { noteOutside } from './outside.ts';
import { todoListOf, writtenList } from './todos.ts';
import { callInputValue, plainResultText } from '../transcript/entry-text.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { FileChanges } from './changed-files.ts';
import type { CheckWords, CommandPart } from './command-key.ts';
import type { KnownCommit, Running } from './unfinished.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { ChangedFile, Outcome, ProvenState } from '../transcript/summary.ts';

const nothingProven: ProvenState = { todos: null, checks: [], failures: [], files: [] };

const mostChecks = 8;
const mostFailures = 12;
const mostFiles = 120;
const mostShown = 60;
const labelCharacters = 140;

/** What is proven after these messages, by what was proven before them. Nothing is listed because a sentence sounds so. */
export function proveState(
  entries: readonly Entry[],
  answers: ReadonlyMap<CallPart, ResultPart>,
  previous: ProvenState = nothingProven,
): ProvenState {
  let todos = previous.todos;
  let hasTodoTool: boolean = previous.hasTodoTool ?? false;
  let commit: KnownCommit | undefined = previous.commit;
  const running: Running = new Map((previous.running ?? []).map((task) => [task.id, task]));
  const outside = new Map((previous.outside ?? []).map((made) => [made.label, made]));
  // Items of checklists that a result has shown: who says the same of them quotes it.
  const shown = new Set(previous.shownItems);
  const checks = openChecks(previous.checks);
  const failures = new Map(previous.failures.map((failure) => [failure.key, failure]));
  const files = new Map((previous.files ?? []).map((file) => [file.path, file]));
  for (const [at, entry] of entries.entries()) {
    const recallId = messageRecallId(entry.ordinal);
    const before = entries[at - 1];
    if (before) {
      const changed = filesEditedInText(before, entry);
      noteFiles({ changed, gone: [] }, messageRecallId(before.ordinal), files);
    }
    noteEnded(running, entry);
    if (isRequest(entry)) for (const { key } of failures.values()) if (isProbe(key)) failures.delete(key);
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      const result = answers.get(part);
      const list = todoListOf(part, result, todos);
      if (list) todos = { recallId, ...list };
      hasTodoTool ||= list !== undefined;
      if (!result) continue;
      // What was started in the background is told of by the call that finds its end.
      const ended = endedTask(running, part, result);
      // How it goes is not known yet.
      const goesOn = noteRunning(running, part, result, recallId);
      if (!isFailedCall(part, result)) noteFiles(fileChanges(part, plainResultText(result)), recallId, files);
      if (isRefused(result) || goesOn) continue;
      commit = commitAfter(part, result, recallId, commit);
      if (isAborted(result)) continue;
      if (!isFailedCall(part, result)) noteOutside(outside, part, result, recallId);
      // What was edited since it was started it did not see.
      const outcome = ended
        ? outcomeOf(ended.call, ended.result, ended.recallId)
        : outcomeOf(part, result, recallId);
      noteOutcome(outcome, checks, failures);
    }
    // Where a tool keeps the list, a checklist is about something else.
    if (hasTodoTool) continue;
    const written = writtenList(entry, shown, todos);
    if (written) todos = { recallId, ...written };
  }
  return {
    todos,
    checks: newestChecks(checks).map((check) => withChanges(check, files)),
    failures: [...failures.values()].slice(-mostFailures),
    files: [...files.values()].slice(-mostFiles),
    ...(hasTodoTool ? { hasTodoTool: true as const } : {}),
    ...(commit ? { commit: withChanged(commit, files.values()) } : {}),
    ...(shown.size > 0 && !hasTodoTool ? { shownItems: [...shown].slice(-mostShown) } : {}),
    ...(running.size > 0 ? { running: [...running.values()] } : {}),
    ...(outside.size > 0 ? { outside: [...outside.values()] } : {}),
  };
}

/** The newest checks, without those that passed and that a later chain which passed has run again. */
function newestChecks({ byKey }: Checks): Outcome[] {
  const newest = [...byKey.values()].slice(-mostInPlay);
  const isRunAgain = ({ key, hasFailed }: Outcome, at: number): boolean =>
    !hasFailed && newest.slice(at + 1).some((later) => !later.hasFailed && isPartOf(key, later.key));
  return newest.filter((check, at) => !isRunAgain(check, at)).slice(-mostChecks);
}

/** What may be gone is not listed: whether a command has run in a branch or a loop, or was taken back, nobody can tell. */
function noteFiles(
  { changed, gone }: FileChanges,
  recallId: ChangedFile['recallId'],
  files: Map<string, ChangedFile>,
): void {
  for (const path of gone.length > 0 ? [...files.keys()] : [])
    if (gone.some((name) => isNamedBy(path, name))) files.delete(path);
  for (const path of changed) {
    files.delete(path);
    files.set(path, { path, recallId });
  }
}

interface NewOutcome extends Outcome {
  readonly isCheck: boolean;
  readonly isProven: boolean;
  /** It says nothing of what was proven before: an end that is not shown. */
  readonly isPartial: boolean;
  /** Whether it proves that a failure is over although it has not proven that all went well. */
  readonly isOver: (known: Outcome) => boolean;
  /** Only lines about something came back. */
  readonly isNarrow: boolean;
  /** What else a success of it is a success of. */
  readonly parts: readonly CommandPart[];
  /** Tasks that its output says were run. */
  readonly ran: ReadonlySet<string>;
  /** A failure of it says something about the work: not of a call that only looked. */
  readonly counts: boolean;
}

/** Checks by their keys, the newest last. */
interface Checks {
  readonly byKey: Map<string, Outcome>;
  /** The newest of them that failed: of the many that passed none is looked at again. */
  readonly failed: Map<string, Outcome>;
  /** Failed runs of test files: other runs may make up for them. Any other check is only made up for by itself. */
  readonly failedRuns: Map<string, CheckWords>;
}

function openChecks(previous: readonly Outcome[]): Checks {
  const checks: Checks = { byKey: new Map(), failed: new Map(), failedRuns: new Map() };
  for (const check of previous) addCheck(checks, check);
  return checks;
}

function addCheck({ byKey, failed, failedRuns }: Checks, check: Outcome): void {
  byKey.set(check.key, check);
  if (!check.hasFailed) return;
  failed.set(check.key, check);
  dropOldest(failed);
  const words = checkWords(check.key);
  if (words.files.length > 0) failedRuns.set(check.key, words);
  dropOldest(failedRuns);
}

function noteOutcome(outcome: NewOutcome, checks: Checks, failures: Map<string, Outcome>): void {
  const { isCheck, isProven, isPartial, isOver, isNarrow, counts, parts, ran, ...plain } = outcome;
  const known = checks.byKey.get(plain.key);
  // Of what failed beside what it was asked for it says nothing.
  if (isNarrow && plain.hasFailed && known?.hasFailed === true && known.filter !== plain.filter) return;
  // A run that shows no verdict takes no failure back; a success is over when it may have failed since.
  if (!isCheck) {
    // A command that succeeded settles what is about the same: see below.
    if (isProven && (plain.hasFailed || parts.length === 0)) failures.delete(plain.key);
  } else if (!isPartial || known?.hasFailed !== true || isOver(known)) deleteCheck(checks, plain.key);
  if (!plain.hasFailed && isProven) {
    const programs = new Set(parts.map(({ program }) => program));
    if (programs.size > 0)
      for (const failure of failures.values())
        if (isSettledBy(failure, programs, plain.label)) failures.delete(failure.key);
    const passed = [plain.key, ...parts.map((part) => part.check)];
    for (const check of new Set([...passed, ...coveredBy(passed, ran, checks)])) {
      if (checks.byKey.get(check)?.hasFailed) deleteCheck(checks, check);
      dropRuns(checks, check, coversRun);
      dropPart(checks, check);
    }
  }
  // A chain that fails as its part did stands once.
  if (plain.hasFailed && isCheck)
    for (const { key, line } of checks.failed.values())
      if (line === plain.line && isPartOf(key, plain.key)) deleteCheck(checks, key);
  // The newest outcome of the same test files is the one that counts, whatever has run them.
  if (plain.hasFailed && isCheck)
    dropRuns(checks, plain.key, (now, then) => coversRun(now, then) && coversRun(then, now));
  if (isCheck && isProven) addCheck(checks, plain);
  if (!isCheck && plain.hasFailed && counts) {
    for (const { key, line } of failures.values())
      if (line === plain.line && isPartOf(key, plain.key)) failures.delete(key);
    failures.set(plain.key, plain);
  }
  dropOldest(failures);
}

/** The failed checks, by themselves or in a chain, that tasks have run which went well. */
function coveredBy(passed: readonly string[], ran: ReadonlySet<string>, { failed }: Checks): string[] {
  const wholes = passed.filter((key) => mayCoverTasks(key, ran));
  if (wholes.length === 0) return [];
  const failedParts = [...failed.keys()].flatMap(partsOf);
  return failedParts.filter((part) => wholes.some((whole) => coversTask(whole, part, ran)));
}

// Of so many is asked whether a success settles them; a history of 10 000 failures would take a minute else.
const mostInPlay = 100;

function dropOldest(known: Map<string, unknown>): void {
  const oldest = known.keys().next().value;
  if (known.size > mostInPlay && oldest !== undefined) known.delete(oldest);
}

function dropRuns(checks: Checks, key: string, isOver: typeof coversRun): void {
  if (checks.failedRuns.size === 0) return;
  const now = checkWords(key);
  for (const [earlier, then] of checks.failedRuns) if (isOver(now, then)) deleteCheck(checks, earlier);
}

/** Of a chain that failed it is not known which of its checks did: those that pass later did not, or do no more. */
function dropPart(checks: Checks, passed: string): void {
  for (const check of checks.failed.values()) {
    const left = withoutPart(check.key, passed);
    if (left === undefined) continue;
    deleteCheck(checks, check.key);
    if (!checks.byKey.has(left)) addCheck(checks, { ...check, key: left });
  }
}

function deleteCheck({ byKey, failed, failedRuns }: Checks, key: string): void {
  byKey.delete(key);
  failed.delete(key);
  failedRuns.delete(key);
}

function outcomeOf(call: CallPart, result: ResultPart, recallId: Outcome['recallId']): NewOutcome {
  const { kind, label, command } = describeCall(call);
  const check = kind === 'command' && command !== undefined ? checkOutcome(call, command, result) : undefined;
  const complaint = check || command === undefined ? undefined : complaintOf(call, command, result);
  const hasFailed = check?.hasFailed ?? (complaint !== undefined || isFailedCall(call, result));
  const line = check?.line ?? complaint ?? (hasFailed ? lastErrorLine(result) : '');
  return {
    key:
      check && command !== undefined
        ? checkKey(command, isVerification, hasFailed)
        : keyOf(call, command, line),
    recallId,
    label: oneLine(
      command === undefined ? label : labelOf(command, check !== undefined, label),
      labelCharacters,
    ),
    line,
    hasFailed,
    isCheck: check !== undefined,
    isProven: check?.isProven ?? (hasFailed || !complainsOfGit(result)),
    isPartial: check?.isPartial ?? false,
    isOver: check?.isOver ?? (() => false),
    isNarrow: check?.isNarrow ?? false,
    ...(check?.filter !== undefined && hasFailed ? { filter: check.filter } : {}),
    ran: check && !hasFailed ? tasksRun(plainResultText(result)) : new Set(),
    parts: check?.isHidden === true || command === undefined ? [] : commandParts(command),
    // What has not run says something about the machine or the spelling.
    counts:
      hasFailed &&
      (kind === 'command' || (kind === 'call' && !isWait(call.name))) &&
      (complaint !== undefined || !notRun.test(plainResultText(result).slice(0, 400))),
  };
}

/** What went wrong in a command that succeeded. */
function complaintOf(call: CallPart, command: string, result: ResultPart): string | undefined {
  if (isFailedCall(call, result)) return undefined;
  const complaint = ranInQuotes(command, spokenResult(plainResultText(result)));
  return complaint && oneLine(`the shell ran what stands in backticks: ${complaint}`, labelCharacters);
}

// The shell's own complaint: there is no such program, or it could not read the command.
const notRun =
  /command not found|: [\w./@+-]{1,80}: not found$|^env: \S{1,80}: No such file or directory$|^(?:\/bin\/)?(?:ba|z|da)?sh: [^\n]{1,300}: No such file or directory$|^(?:\/bin\/)?(?:ba|z|da)?sh:[^\n]{0,40}(?:unmatched|syntax error|parse error|unexpected EOF)/m;

const waitWords = new Set('wait poll output status logs'.split(' '));

/** Whether a tool only asks how something goes on that was started before. */
function isWait(name: string): boolean {
  return toolWords(name).some((word) => waitWords.has(word));
}

/** Of a script that writes files first: what it runs then; of a check without what only shapes its output. */
function labelOf(command: string, isCheck: boolean, label: string): string {
  const run = behindWrittenFiles(command);
  if (isCheck) return `$ ${plainCommand(run)}`;
  return run === command ? label : `$ ${run}`;
}

/** The same program with the same sub-command, or the same tool about the same thing. */
function keyOf(call: CallPart, command: string | undefined, line: string): string {
  return command === undefined ? `${call.name} ${firstShortValue(call)}` : failureKey(command, line);
}

function firstShortValue(call: CallPart): string {
  const values = Object.values(membersOf(callInputValue(call))).filter((value) => typeof value === 'string');
  return values.find((value) => value.length <= 120) ?? '';
}
