import { callInputValue, entryText, resultText } from '../transcript/entry-text.ts';
import { checklist, todoListOf } from './todos.ts';
import { describeCall, quotedText } from './calls.ts';
import { isFailedCall } from './failed-call.ts';
import { lastErrorLine } from './failed-result.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { oneLine } from '../text/cut-text.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { Outcome, ProvenState } from '../transcript/timeline.ts';

export const nothingProven: ProvenState = { todos: null, checks: [], failures: [] };

const mostChecks = 8;
const mostFailures = 12;
const labelCharacters = 140;

/** What is proven after these messages, by what was proven before them. Nothing is listed because a sentence sounds so. */
export function proveState(
  entries: readonly Entry[],
  answers: ReadonlyMap<CallPart, ResultPart>,
  previous: ProvenState = nothingProven,
): ProvenState {
  let { todos } = previous;
  const checks = new Map(previous.checks.map((check) => [check.key, check]));
  const failures = new Map(previous.failures.map((failure) => [failure.key, failure]));
  for (const entry of entries) {
    const recallId = messageRecallId(entry.ordinal);
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      const result = answers.get(part);
      const list = todoListOf(part, result, todos);
      if (list) todos = { recallId, ...list };
      if (result) noteOutcome(outcomeOf(part, result, recallId), checks, failures);
    }
    const written = entry.role === 'assistant' ? checklist(entryText(entry)) : undefined;
    if (written) todos = { recallId, ...written };
  }
  return {
    todos,
    checks: [...checks.values()].slice(-mostChecks),
    failures: [...failures.values()].slice(-mostFailures),
  };
}

interface NewOutcome extends Outcome {
  readonly isCheck: boolean;
  readonly isProven: boolean;
  /** A failure of it says something about the work: not of a call that only looked. */
  readonly counts: boolean;
}

function noteOutcome(
  outcome: NewOutcome,
  checks: Map<string, Outcome>,
  failures: Map<string, Outcome>,
): void {
  const { isCheck, isProven, counts, ...plain } = outcome;
  const place = isCheck ? checks : failures;
  place.delete(plain.key);
  if (isCheck ? isProven : plain.hasFailed && counts) place.set(plain.key, plain);
}

/** Programs that verify something, at the beginning of a command or behind `&&`. */
const verifies =
  /(?:^|&&|;)\s*(?:\w+=\S+ )*(?:(?:npm|pnpm|yarn|bun)(?: run| --\S+ \S+| -\S+)* (?:test|check|lint|build|typecheck|type-check|tsc|verify|validate)\S*|(?:npx|bunx|pnpm exec|yarn|uv run|poetry run|python3? -m)? ?(?:tsc|pytest|vitest|jest|mocha|eslint|oxlint|biome|ruff|mypy|playwright test|unittest|tox)\b|cargo (?:test|check|build|clippy)|go (?:test|vet|build)|make\b|mvn |(?:\.\/)?gradlew? |dotnet (?:test|build)|swift (?:test|build)|rspec|phpunit|ctest|terraform validate)/;

function outcomeOf(call: CallPart, result: ResultPart, recallId: Outcome['recallId']): NewOutcome {
  const { kind, label, command } = describeCall(call);
  const text = resultText(result);
  const isCheck = kind === 'command' && command !== undefined && isVerification(command);
  // Behind a pipe the exit code is that of another program: then only a verdict in the text proves anything.
  const isPiped = isCheck && (command ?? '').replace(quotedText, '').includes('|');
  const hasFailed = isFailedCall(call, result) || (isPiped && failedVerdict.test(text.slice(-4_000)));
  const isProven = hasFailed || !isPiped || passedVerdict.test(text.slice(-4_000));
  return {
    key: isCheck ? checkKey(command ?? '') : keyOf(call, command),
    recallId,
    label: oneLine(label, labelCharacters),
    line: hasFailed ? lastErrorLine(result) : isCheck ? verdictOf(text) : '',
    hasFailed,
    isCheck,
    isProven,
    // A program that is not there says something about the machine.
    counts: (kind === 'command' || kind === 'call') && !/command not found/.test(text.slice(0, 400)),
  };
}

function isVerification(command: string): boolean {
  return verifies.test(plainCommand(command.replace(/^\s*#.*$/gm, '')).slice(0, 400));
}

/** A command without what only shapes its output: `npm test 2>&1 | tail -20` is `npm test`. */
function plainCommand(command: string): string {
  return command
    .replace(/\s*2?>\s*(?:&\d|\/dev\/null)/g, '')
    .replace(/\s*\|\s*(?:tail|head|grep|rg|cat|tee|less|sort|wc|sed|awk)\b.*$/s, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

/** What is verified: the program and what it is run on, whatever its options are. */
function checkKey(command: string): string {
  const words = plainCommand(command).replace(quotedText, '').split(' ');
  return words.filter((word) => word !== '' && !/^\w+=|^-/.test(word)).join(' ');
}

/** The same program with the same sub-command, or the same tool about the same thing. */
function keyOf(call: CallPart, command: string | undefined): string {
  if (command === undefined) return `${call.name} ${firstShortValue(callInputValue(call))}`;
  const words = plainCommand(command)
    .split(' ')
    .filter((word) => !/^\w+=|^-|^sudo$/.test(word));
  return words.slice(0, 2).join(' ');
}

function firstShortValue(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const value = Object.values(input).find((one) => typeof one === 'string' && one.length <= 120);
  return typeof value === 'string' ? value : '';
}

const failedVerdict =
  /\b[1-9]\d* (?:failed|failing|errors?|problems?)\b|\b(?:FAIL|FAILED)\b|error TS\d|^error(?:\[|:)/m;
const passedVerdict =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors?)\b|\bno (?:errors?|issues|problems)\b|\bok\b|succe(?:ss|eded)|\bAll (?:checks|tests)/i;
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
