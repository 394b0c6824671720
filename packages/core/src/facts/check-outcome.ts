import { oneLine } from '../text/cut-text.ts';
import { isFiltered, isMasked, plainCommand } from './command-key.ts';
import { exitCodeOf, isFailedCall, lastErrorLine } from './failures.ts';
import { plainResultText } from '../transcript/entry-text.ts';
import type { CallPart, ResultPart } from '../transcript/entry.ts';

/** What a command that verifies something has shown. */
export interface CheckOutcome {
  readonly hasFailed: boolean;
  /** Whether it is known that it failed or went well. */
  readonly isProven: boolean;
  /** It says nothing of what was proven before: only chosen lines came back, and none that is a verdict. */
  readonly isPartial: boolean;
  /** Its exit code is that of another program. */
  readonly isHidden: boolean;
  /** The line that says how it went. */
  readonly line: string;
}

const lineCharacters = 140;
const endCharacters = 4_000;

/** How a command went that verifies something; `undefined` for every other command. */
export function checkOutcome(call: CallPart, command: string, result: ResultPart): CheckOutcome | undefined {
  const text = plainResultText(result);
  if (!isVerification(command)) return spokenOutcome(call, command, result);
  // Where something runs behind it the exit code is that of another program: only a verdict in the text proves anything.
  const isHidden = isMasked(command, programEnd(command));
  const said = printed(text, command);
  const counted = isHidden || exitCodeOf(text) === undefined ? countsFailures(said) : undefined;
  const hasFailed = isFailedCall(call, result) || (counted ?? (isHidden && failedVerdict.test(said)));
  const isProven = hasFailed || !isHidden || counted === false || passedVerdict.test(said);
  return {
    hasFailed,
    isProven,
    isPartial: !isProven && isFiltered(command) && said.trim() !== '',
    isHidden,
    line: hasFailed ? failedLine(call, result) : verdictOf(text),
  };
}

/**
 * Programs that verify something, at the beginning of a command or behind `&&`. A formatter does where it only checks:
 * without that it edits.
 */
const verifies =
  /(?:^|&&|;)\s*(?:\w+=\S+ |sudo |time |timeout \S+ )*(?:(?:npm|pnpm|yarn|bun|mise|just|task|turbo|nx|deno|rake|composer|moon)(?: run| task| --\S+ \S+| -\S+)* (?![\w:-]*\bfix\b)(?:[\w-]{1,30}:)?(?:test|check|lint|build|typecheck|type-check|tsc|verify|validate)[^\s;&|]*|(?:npx|bunx|pnpm exec|yarn|uv run|poetry run|python3? -m)? ?(?:(?:\.\/)?node_modules\/\.bin\/)?(?:tsc|pytest|vitest|jest|mocha|eslint|oxlint|stylelint|(?:biome|ruff)(?! format(?![^;&|]*--check))(?![^;&|]*--write)|mypy|pyright|(?:prettier|black)(?=[^;&|]* (?:--check|--list-different|-c|-l)\b)|markdownlint(?:-cli2?)?|golangci-lint|shellcheck|playwright test|unittest|tox)\b|cargo (?:test|check|build|clippy|nextest|fmt(?=[^;&|]*--check))|go (?:test|vet|build)|make\b|mvn |(?:\.\/)?gradlew? |dotnet (?:test|build)|swift (?:test|build)|bazel (?:test|build)|mix test|pre-commit run|rspec|phpunit|ctest|terraform validate)/;

/** Where the program that verifies something ends; 0 where only the shortened command shows it. */
function programEnd(command: string): number {
  const found = verifies.exec(command.slice(0, 4_000));
  return found ? found.index + found[0].length : 0;
}

// `✓ reports 2 errors` is the name of a test that passed.
const passedTest = /^\s*(?:[✓✔√]|ok \d+ )/;

/** The end of an output without names of tests that passed and lines that the command itself writes, as `|| echo "No errors"` does. */
function printed(text: string, command: string): string {
  const lines = text.slice(-endCharacters).split('\n');
  const isOwn = (line: string): boolean => line.trim().length >= 2 && command.includes(line.trim());
  return lines.filter((line) => !passedTest.test(line) && !isOwn(line)).join('\n');
}

/** Whether a command verifies something, as far as its programs are known. */
export function isVerification(command: string): boolean {
  return verifies.test(plainCommand(command.slice(0, 4_000).replace(/^[^\S\n]*#.*$/gm, '')).slice(0, 400));
}

const spokenVerdict =
  /^\W{0,12}(?:(?:test|tests|build|overall|final) )?(?:results?|verdict)\W{1,4}(?:pass(?:ed)?|fail(?:ed)?|ok|success(?:ful)?)\b(?!-|\.\w)|^\W{0,12}\d{1,9} (?:passed|failed)\W{1,3}\d{1,9} (?:passed|failed)\b/i;
// What a hook prints is not what they do, and what others have printed is not what was run here.
const showsOthers =
  /(?:^|[;&|\n])\s*(?:\w+=\S+ )*(?:git|gh|hg|jj|curl|wget|docker|kubectl|journalctl|cat|head|tail|less)\b/;

/** A program that nobody knows verifies something where it prints the verdict of a runner, whatever its exit code. */
function spokenOutcome(call: CallPart, command: string, result: ResultPart): CheckOutcome | undefined {
  if (showsOthers.test(command.slice(0, 4_000))) return undefined;
  const said = printed(plainResultText(result), command).split('\n');
  const line = said.findLast((one) => spokenVerdict.test(one));
  if (line === undefined) return undefined;
  const hasFailed = isFailedCall(call, result) || (countsFailures(line) ?? /fail/i.test(line));
  return {
    hasFailed,
    isProven: true,
    isPartial: false,
    isHidden: false,
    line: hasFailed && countsFailures(line) === false ? lastErrorLine(result) : oneLine(line, lineCharacters),
  };
}

/** The line that says that it failed: where the exit code does not, the verdict that was printed. */
function failedLine(call: CallPart, result: ResultPart): string {
  const cause = firstDiagnostic(plainResultText(result));
  if (cause !== undefined) return oneLine(cause, lineCharacters);
  if (isFailedCall(call, result)) return lastErrorLine(result);
  const line = plainResultText(result)
    .slice(-endCharacters)
    .split('\n')
    .findLast((one) => failedVerdict.test(one));
  return line === undefined ? lastErrorLine(result) : oneLine(line, lineCharacters);
}

// `src/a.ts(12,3): error TS2551: …`, `src/a.ts:12:3 - error …`, `a.go:12:3: …`: what else fails often follows from the first.
const diagnostic =
  /^[^\S\n]{0,12}[\w./@\\-]{1,200}\.\w{1,5}(?:\(\d{1,7},\d{1,5}\)|:\d{1,7}:\d{1,5})(?::| -) {1,3}\S[^\n]{3,}$/gm;
const diagnosticCharacters = 40_000;

/** The first place that a compiler or linter names, with how many it names in all. */
function firstDiagnostic(text: string): string | undefined {
  const [first, ...others] = text.slice(0, diagnosticCharacters).match(diagnostic) ?? [];
  if (first === undefined) return undefined;
  return others.length === 0 ? first.trim() : `(${others.length + 1} such) ${first.trim()}`;
}

const failureCount = /\b(\d{1,9}) (?:failed|failing|failures?|fail)\b/g;

/** Whether an output counts failures, by the last count in it; `undefined` where it counts none. */
function countsFailures(text: string): boolean | undefined {
  if (/^test result: FAILED/m.test(text)) return true;
  const last = [...text.matchAll(failureCount)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last) > 0;
}

const failedVerdict =
  /\b[1-9]\d* (?:failed|failing|errors?|problems?(?! \(0 errors))\b|^not ok\b|\b(?:FAIL|FAILED)\b|error TS\d|^error(?:\[|:)/m;
const passedVerdict =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors?)\b|\bno (?:errors?|issues|problems)\b|^ok\s+\S|succe(?:ss|eded)|\bAll (?:checks|tests)/im;
const verdict =
  /\b\d+ (?:passed|failed|passing|failing|errors?|warnings?|tests?|problems?)\b|\b(?:passed|failed|ok|success\w*|no errors?|no issues|clean)\b/i;

// What runs a script prints the script first; a program that is content says nothing behind it.
const echoedCommand = /^[$>] /;

/** The line of a result that says how it went; empty where none does. */
function verdictOf(text: string): string {
  const lines = text
    .slice(-endCharacters)
    .split('\n')
    .filter((line) => line.trim() !== '' && !echoedCommand.test(line));
  const line = lines.findLast((one) => verdict.test(one)) ?? lines.at(-1) ?? '';
  return oneLine(ofAllTargets(text) ?? line, lineCharacters);
}

const targetVerdict = /^test result: ok\. (\d{1,9}) passed; 0 failed/gm;

/** Cargo prints a verdict for each target, and the last one is often that of no tests. `undefined` for one target. */
function ofAllTargets(text: string): string | undefined {
  const counts = [...text.matchAll(targetVerdict)].map(([, count]) => Number(count));
  const passed = counts.reduce((sum, count) => sum + count, 0);
  return counts.length < 2 ? undefined : `test result: ok. ${passed} passed in ${counts.length} targets`;
}
