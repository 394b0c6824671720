import { oneLine } from '../text/cut-text.ts';
import { describeCall, editedFiles } from './calls.ts';
import {
  behindWrittenFiles,
  checkKey,
  commandParts,
  coversCheck,
  isMasked,
  plainCommand,
  programKey,
} from './command-key.ts';
import { exitCodeOf, isFailedCall, isRefused, lastErrorLine } from './failures.ts';
import { checklist, todoListOf } from './todos.ts';
import { callInputValue, entryText, resultText } from '../transcript/entry-text.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { CommandPart } from './command-key.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { ChangedFile, Outcome, ProvenState } from '../transcript/summary.ts';

const nothingProven: ProvenState = { todos: null, checks: [], failures: [], files: [] };

const mostChecks = 8;
const mostFailures = 12;
const mostFiles = 120;
const labelCharacters = 140;

/** What is proven after these messages, by what was proven before them. Nothing is listed because a sentence sounds so. */
export function proveState(
  entries: readonly Entry[],
  answers: ReadonlyMap<CallPart, ResultPart>,
  previous: ProvenState = nothingProven,
): ProvenState {
  let todos = previous.todos;
  let hasTodoTool: boolean = previous.hasTodoTool ?? false;
  const checks = new Map(previous.checks.map((check) => [check.key, check]));
  const failures = new Map(previous.failures.map((failure) => [failure.key, failure]));
  const files = new Map((previous.files ?? []).map((file) => [file.path, file]));
  for (const entry of entries) {
    const recallId = messageRecallId(entry.ordinal);
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      const result = answers.get(part);
      const list = todoListOf(part, result, todos);
      if (list) todos = { recallId, ...list };
      hasTodoTool ||= list !== undefined;
      if (result && !isFailedCall(part, result)) noteFiles(editedFiles(part), recallId, files);
      if (result && !isRefused(result)) noteOutcome(outcomeOf(part, result, recallId), checks, failures);
    }
    // Where a tool keeps the list, a checklist is about something else.
    const isList = entry.role === 'assistant' && !hasTodoTool;
    const written = isList ? checklist(withoutFences(entryText(entry))) : undefined;
    if (written) todos = { recallId, ...written };
  }
  return {
    todos,
    checks: [...checks.values()].slice(-mostChecks),
    failures: [...failures.values()].slice(-mostFailures),
    files: [...files.values()].slice(-mostFiles),
    ...(hasTodoTool ? { hasTodoTool: true as const } : {}),
  };
}

/**
 * What is proven when messages behind these are known, too: what they have done since is open no more. The files are those
 * of before: what was changed since stands in the messages themselves.
 */
export function stateAfter(
  state: ProvenState,
  later: readonly Entry[],
  answers: ReadonlyMap<CallPart, ResultPart>,
): ProvenState {
  const { files: _changedSince, ...now } = proveState(later, answers, state);
  return { ...now, ...(state.files ? { files: state.files } : {}) };
}

function noteFiles(
  paths: readonly string[],
  recallId: ChangedFile['recallId'],
  files: Map<string, ChangedFile>,
): void {
  for (const path of paths) {
    files.delete(path);
    files.set(path, { path, recallId });
  }
}

/** A text without its code blocks: what stands in them is quoted. */
function withoutFences(text: string): string {
  if (!/^\s{0,12}(?:```|~~~)/m.test(text)) return text;
  let fence = '';
  const lines = text.split('\n').filter((line) => {
    const mark = /^\s{0,12}(```|~~~)/.exec(line)?.[1] ?? '';
    if (fence === '') return (fence = mark) === '';
    if (mark === fence) fence = '';
    return false;
  });
  return lines.join('\n');
}

interface NewOutcome extends Outcome {
  readonly isCheck: boolean;
  readonly isProven: boolean;
  /** What else a success of it is a success of. */
  readonly parts: readonly CommandPart[];
  /** A failure of it says something about the work: not of a call that only looked. */
  readonly counts: boolean;
}

function noteOutcome(
  outcome: NewOutcome,
  checks: Map<string, Outcome>,
  failures: Map<string, Outcome>,
): void {
  const { isCheck, isProven, counts, parts, ...plain } = outcome;
  const place = isCheck ? checks : failures;
  place.delete(plain.key);
  if (!plain.hasFailed && isProven) {
    for (const { program } of parts) failures.delete(program);
    for (const check of [plain.key, ...parts.map((part) => part.check)])
      dropFailed(checks, (key) => key === check || coversCheck(check, key));
  }
  // The newest outcome of the same test files is the one that counts, whatever has run them.
  if (plain.hasFailed && isCheck)
    dropFailed(checks, (key) => coversCheck(plain.key, key) && coversCheck(key, plain.key));
  if (isCheck ? isProven : plain.hasFailed && counts) place.set(plain.key, plain);
}

function dropFailed(checks: Map<string, Outcome>, isOver: (key: string) => boolean): void {
  for (const [key, { hasFailed }] of checks) if (hasFailed && isOver(key)) checks.delete(key);
}

/** Programs that verify something, at the beginning of a command or behind `&&`. */
const verifies =
  /(?:^|&&|;)\s*(?:\w+=\S+ |sudo |time |timeout \S+ )*(?:(?:npm|pnpm|yarn|bun)(?: run| --\S+ \S+| -\S+)* (?:test|check|lint|build|typecheck|type-check|tsc|verify|validate)[^\s;&|]*|(?:npx|bunx|pnpm exec|yarn|uv run|poetry run|python3? -m)? ?(?:(?:\.\/)?node_modules\/\.bin\/)?(?:tsc|pytest|vitest|jest|mocha|eslint|oxlint|biome|ruff|mypy|playwright test|unittest|tox)\b|cargo (?:test|check|build|clippy)|go (?:test|vet|build)|make\b|mvn |(?:\.\/)?gradlew? |dotnet (?:test|build)|swift (?:test|build)|rspec|phpunit|ctest|terraform validate)/;

function outcomeOf(call: CallPart, result: ResultPart, recallId: Outcome['recallId']): NewOutcome {
  const { kind, label, command } = describeCall(call);
  const text = resultText(result);
  const isCheck = kind === 'command' && command !== undefined && isVerification(command);
  // Where something runs behind it the exit code is that of another program: only a verdict in the text proves anything.
  const isHidden = isCheck && isMasked(command, programEnd(command));
  const said = isCheck ? printed(text, command) : '';
  const counted = isCheck && (isHidden || exitCodeOf(text) === undefined) ? countsFailures(said) : undefined;
  const hasFailed = isFailedCall(call, result) || (counted ?? (isHidden && failedVerdict.test(said)));
  const isProven = hasFailed || !isHidden || counted === false || passedVerdict.test(said);
  return {
    key: isCheck ? checkKey(command ?? '') : keyOf(call, command),
    recallId,
    label: oneLine(command === undefined ? label : labelOf(command, label), labelCharacters),
    line: hasFailed ? lastErrorLine(result) : isCheck ? verdictOf(text) : '',
    hasFailed,
    isCheck,
    isProven,
    parts: isHidden || command === undefined ? [] : commandParts(command),
    // A program that is not there says something about the machine.
    counts: (kind === 'command' || kind === 'call') && !/command not found/.test(text.slice(0, 400)),
  };
}

/** Of a script that writes files first: what it runs then. */
function labelOf(command: string, label: string): string {
  const run = behindWrittenFiles(command);
  return run === command ? label : `$ ${run}`;
}

/** Where the program that verifies something ends; 0 where only the shortened command shows it. */
function programEnd(command: string): number {
  const found = verifies.exec(command.slice(0, 4_000));
  return found ? found.index + found[0].length : 0;
}

/** The end of an output without the lines that the command itself writes, as `|| echo "No errors"` does. */
function printed(text: string, command: string): string {
  const lines = text.slice(-4_000).split('\n');
  return lines.filter((line) => line.trim().length < 2 || !command.includes(line.trim())).join('\n');
}

function isVerification(command: string): boolean {
  return verifies.test(plainCommand(command.slice(0, 4_000).replace(/^[^\S\n]*#.*$/gm, '')).slice(0, 400));
}

/** The same program with the same sub-command, or the same tool about the same thing. */
function keyOf(call: CallPart, command: string | undefined): string {
  return command === undefined
    ? `${call.name} ${firstShortValue(callInputValue(call))}`
    : programKey(command);
}

function firstShortValue(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const value = Object.values(input).find((one) => typeof one === 'string' && one.length <= 120);
  return typeof value === 'string' ? value : '';
}

const failureCount = /\b(\d{1,9}) (?:failed|failing|failures?|fail)\b/g;

/** Whether an output counts failures, by the last count in it; `undefined` where it counts none. */
function countsFailures(text: string): boolean | undefined {
  const last = [...text.matchAll(failureCount)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last) > 0;
}

const failedVerdict =
  /\b[1-9]\d* (?:failed|failing|errors?|problems?)\b|^not ok\b|\b(?:FAIL|FAILED)\b|error TS\d|^error(?:\[|:)/m;
const passedVerdict =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors?)\b|\bno (?:errors?|issues|problems)\b|^ok\s+\S|succe(?:ss|eded)|\bAll (?:checks|tests)/im;
const verdict =
  /\b\d+ (?:passed|failed|passing|failing|errors?|warnings?|tests?|problems?)\b|\b(?:passed|failed|ok|success\w*|no errors?|no issues|clean)\b/i;

/** The line of a result that says how it went. */
function verdictOf(text: string): string {
  const lines = text
    .slice(-4_000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return oneLine(lines.findLast((line) => verdict.test(line)) ?? lines.at(-1) ?? '', labelCharacters);
}
