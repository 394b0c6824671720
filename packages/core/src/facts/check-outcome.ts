import { oneLine, withoutRulers } from '../text/cut-text.ts';
import { isMasked, plainCommand, quotedText } from './command-key.ts';
import { exitCodeOf, isFailedCall, isQuiet, lastErrorLine, refusesOption, spokenResult } from './failures.ts';
import { plainResultText } from '../transcript/entry-text.ts';
import type { CallPart, ResultPart } from '../transcript/entry.ts';

/** What a command that verifies something has shown. */
export interface CheckOutcome {
  readonly hasFailed: boolean;
  /** Whether it is known that it failed or went well. */
  readonly isProven: boolean;
  /** It says nothing of what was proven before: not all lines came back, and none that is a verdict. */
  readonly isPartial: boolean;
  /** Whether it proves all the same that a failure is over: no line came back where the filter would have shown its lines. */
  readonly isOver: (known: Told) => boolean;
  /** What chose the lines that came back. */
  readonly filter?: string;
  /** The filter chose lines about something: of others that a failure had it says nothing. */
  readonly isNarrow: boolean;
  /** Its exit code is that of another program. */
  readonly isHidden: boolean;
  /** The line that says how it went. */
  readonly line: string;
}

/** A failure as it is told. */
interface Told {
  readonly line: string;
  readonly filter?: string;
}

const never = (): boolean => false;
const lineCharacters = 140;
const endCharacters = 4_000;

/** How a command went that verifies something; `undefined` for every other command, and where it did not run. */
export function checkOutcome(call: CallPart, command: string, result: ResultPart): CheckOutcome | undefined {
  const text = plainResultText(result);
  if (!isVerification(command)) return spokenOutcome(call, command, result);
  if (isNotThere(command, text) || refusesOption(command, text)) return undefined;
  const end = programEnd(command);
  const said = printed(text, command);
  const shown = shownLines(command, end);
  const isSilent = saysNothing(said, shown);
  // Where something runs behind it the exit code is that of another program: only a verdict in the text proves anything.
  const isHidden = isMasked(command, end) && !(shown && isAllShown(shown, command, { text, said, isSilent }));
  const counted = isHidden || exitCodeOf(text) === undefined ? countsFailures(said) : undefined;
  // `grep` that finds nothing ends with 1.
  const isChosenSilence = isSilent && shown !== undefined && shown.pattern !== '';
  const hasExited = isFailedCall(call, result) && !isChosenSilence;
  const hasFailed =
    hasExited ||
    (counted ?? ((isHidden && failedVerdict.test(said)) || (isUntold(text) && failedEnd.test(said))));
  const isProven = hasFailed || !isHidden || counted === false || passedVerdict.test(said);
  return {
    hasFailed,
    isProven,
    isPartial: !isProven,
    isHidden,
    line: hasFailed ? failedLine(call, result) : verdictOf(text),
    ...throughFilter(shown, isSilent),
  };
}

/** What the filters of a check make of what came back. */
function throughFilter(
  shown: ShownLines | undefined,
  isSilent: boolean,
): Pick<CheckOutcome, 'isOver' | 'isNarrow' | 'filter'> {
  if (!shown) return { isOver: never, isNarrow: false };
  return {
    isOver: isSilent ? (known) => wouldShow(shown, known) : never,
    isNarrow: shown.pattern !== '' && !choosesFailures(shown.pattern),
    ...(shown.text === '' ? {} : { filter: shown.text }),
  };
}

function saysNothing(said: string, shown: ShownLines | undefined): boolean {
  const heard = said.replace(echoedCommands, '');
  return isQuiet(heard) || (shown?.isCount === true && /^\s*0\s*$/.test(spokenResult(heard)));
}

interface Heard {
  readonly text: string;
  readonly said: string;
  readonly isSilent: boolean;
}

/** Whether what came back would tell a failure, and tells none. */
function isAllShown(shown: ShownLines, command: string, { text, said, isSilent }: Heard): boolean {
  if (shown.pattern !== '') return false;
  if (isSilent) return silentOnSuccess.test(`${command}\n${said}`);
  return wouldTell(shown, command, text) && !tells(said);
}

/**
 * Programs that verify something, at the beginning of a command or behind `&&`. A formatter does where it only checks:
 * without that it edits.
 */
const verifies =
  /(?:^|&&|;)\s*(?:\w+=\S+ |sudo |time |timeout \S+ |bundle exec |npm exec |(?:hatch|pdm|pipenv) run )*(?:[\w.@~+-]{0,60}\/(?:[\w.@+-]{1,60}\/){0,10})?(?:(?:npm|pnpm|yarn|bun|mise|just|task|turbo|nx|deno|rake|composer|moon)(?: run| task| -C \S+| --\S+ \S+| -\S+)* (?![\w:-]*\bfix\b)(?:[\w-]{1,30}:)?(?:test|check|lint|build|typecheck|type-check|tsc|verify|validate)[^\s;&|]*|(?:npx|bunx|pnpm exec|yarn|uv run|poetry run|python3? -m)? ?(?:(?:\.\/)?node_modules\/\.bin\/)?(?:tsc|pytest|vitest|jest|mocha|eslint|oxlint|stylelint|(?:biome|ruff)(?! format(?![^;&|]*--check))(?![^;&|]*--write)|mypy|pyright|(?:prettier|black)(?=[^;&|]* (?:--check|--list-different|-c|-l)\b)|markdownlint(?:-cli2?)?|golangci-lint|shellcheck|playwright test|unittest|tox)\b|cargo (?:\+\S+ )?(?:test|check|build|clippy|nextest|fmt(?=[^;&|]*--check))|go (?:test|vet|build)|make\b|mvn |(?:\.\/)?gradlew? |dotnet (?:test|build)|swift (?:test|build)|bazel (?:test|build)|mix test|pre-commit run|rspec|Invoke-Pester|rails test|xcodebuild test|sbt test|php artisan test|phpunit|ctest|terraform validate)/;

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

const notThere =
  /: (?:exec: )?([\w./@+-]{1,80}): (?:command )?not found$|command not found: ([\w./@+-]{1,80})$|'([\w./@+-]{1,80})' is not recognized as (?:a name of a cmdlet|the name of a cmdlet|an internal or external command)/m;

/** Whether a shell says that it has no program of the command: nothing was verified then. */
function isNotThere(command: string, text: string): boolean {
  const [, ...named] = notThere.exec(spokenResult(text).slice(0, 400)) ?? [];
  const missing = named.find((program) => program !== undefined);
  return (
    missing !== undefined &&
    command
      .slice(0, 4_000)
      .split(/[\s;&|()]+/)
      .includes(missing)
  );
}

// `golangci-lint run --help` runs nothing.
const helpCall = /[^;&|]* --(?:help|version)\b[^;&|]*/g;

/** Whether a command verifies something, as far as its programs are known. */
export function isVerification(command: string): boolean {
  const plain = plainCommand(command.slice(0, 4_000).replace(/^[^\S\n]*#.*$/gm, '')).slice(0, 400);
  return verifies.test(plain.replace(helpCall, ''));
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
    isOver: never,
    isNarrow: false,
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
  return others.length === 0 ? first.trim() : `${others.length + 1} places, the first: ${first.trim()}`;
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
// Where nothing tells how a program ended, what these print only where they failed.
const failedEnd =
  /^[^\n]{1,400}\(\d{1,7},\d{1,5}\): error TS\d|^g?make(?:\[\d{1,3}\])?: \*\*\* [^\n]{0,400}Error \d{1,3}\s*$|^✖ \d{1,9} problems? \([1-9]/m;
const isUntold = (text: string): boolean => exitCodeOf(text) === undefined;
const passedVerdict =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors?)\b|\bno (?:errors?|issues|problems)\b|^ok\s+\S|succe(?:ss|eded)|\bAll (?:checks|tests)|\bbuild complete\b|\bcompiled successfully\b/im;
const verdict =
  /\b\d+ (?:passed|failed|passing|failing|errors?|warnings?|tests?|problems?)\b|\b(?:passed|failed|ok|success\w*|no errors?|no issues|clean)\b/i;

// What runs a script prints the script first; a program that is content says nothing behind it.
const echoedCommand = /^[$>] /;
const echoedCommands = /^(?:[$>] [^\n]*)?(?:\n|$)/gm;

/** The line of a result that says how it went; empty where none does. */
function verdictOf(text: string): string {
  const lines = text
    .slice(-endCharacters)
    .split('\n')
    .filter((line) => line.trim() !== '' && !echoedCommand.test(line));
  const line = lines.findLast((one) => verdict.test(one)) ?? lines.at(-1) ?? '';
  return oneLine(ofAllTargets(text) ?? withoutRulers(line.trim()), lineCharacters);
}

const targetVerdict = /^test result: ok\. (\d{1,9}) passed; 0 failed/gm;

/** Cargo prints a verdict for each target, and the last one is often that of no tests. `undefined` for one target. */
function ofAllTargets(text: string): string | undefined {
  const counts = [...text.matchAll(targetVerdict)].map(([, count]) => Number(count));
  const passed = counts.reduce((sum, count) => sum + count, 0);
  return counts.length < 2 ? undefined : `test result: ok. ${passed} passed in ${counts.length} targets`;
}

/** What of an output comes back. */
interface ShownLines {
  /** What a line must hold; empty where lines from an end of the output come back, or all; `undefined` where it is not known. */
  readonly pattern: string | undefined;
  readonly ignoresCase: boolean;
  /** The last of them are among them. */
  readonly isEnd: boolean;
  /** So many of them come back. */
  readonly most: number;
  /** Only their number comes back. */
  readonly isCount: boolean;
  /** All filters, as they were written. */
  readonly text: string;
}

// They show an end of what there is, or all of it.
const showing = /^(?:head|tail|cat|tee|sort|uniq|less|nl)\b(?!.*(?:-c\b|--bytes))/;
const counting = /^wc -l\s*$/;
const choosing = /^(?:e|f|z)?grep\b|^rg\b/;
// Nothing comes back of it, other lines than those that hold the words, or names of files.
const hidesLines = /^(?:-[a-zA-Z]*[qvlLzf][a-zA-Z]*|--(?:quiet|silent|invert-match|files.*|file.*))$/;
const withValue = /^(?:-[ABCm]|--(?:context|max-count|color|after-context|before-context))$/;
const shellWord = /'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g;
// What others print where all went well is not what comes back: then it is not known where that went.
const silentOnSuccess = /\b(?:tsc|eslint|stylelint|shellcheck|gofmt|prettier|flake8|go (?:vet|build))\b/;
// They say at the end of what they print that they failed, whatever it was that they ran, and where nothing keeps them from it.
const tellsFailure =
  /\b(?:pnpm|yarn|bun|mise|make|cargo|go test|tsc|eslint)\b(?![^|;&]*\s(?:-s|--silent|--quiet|--loglevel|-q|--no-fail-fast)\b)/;
// From npm 7 on it says nothing of a script that failed: there the whole of its output must be seen, from the lines that it begins with.
const runsScripts = /\bnpm\b/;
const toldScript = /\bnpm\b(?![^|;&]*\s(?:-s|--silent|--quiet|--loglevel|-q)\b)/;
const scriptHead = /^> [^\n]{1,200}\n> \S/m;
const complaint =
  /^(?:npm (?:ERR!|error)|\W{0,3}(?:g?make|mise)\b.{0,40}(?:\*\*\*|ERROR)|.{0,20}\bELIFECYCLE\b|error\b)|\bERROR task failed/m;
// Of a shell, whose program then did not run or was ended, and of programs that no runner stands behind.
const otherComplaint =
  /^\W{0,3}g?make\b.{0,200} not remade because of errors|(?:^|[:\s])cd: |: No such file or directory$|^(?:Killed|Terminated|Aborted|Segmentation fault|Bus error)\b|\(core dumped\)|This is not the tsc command|^\s*(?:Uncaught )?\w{0,40}(?:Error|Exception)\b[^\n:]{0,40}: |\bERR_[A-Z]|^\s*[✖✗✘×] |^\s*exit(?:ed)?(?: with)?(?: code| status)?\W{1,3}[1-9]\d{0,2}\s*$/m;
// Tools leave empty lines at the ends of an output out, and Yarn has a line behind the one that says that it failed.
const spareLines = 4;

function tells(said: string): boolean {
  return (
    complaint.test(said) ||
    otherComplaint.test(said) ||
    failedVerdict.test(said) ||
    countsFailures(said) === true
  );
}

/** Whether a failure would be told in what came back: the end of the output, or so few lines that they are all there were. */
function wouldTell({ isCount, isEnd, most }: ShownLines, command: string, output: string): boolean {
  if (isCount || most < spareLines) return false;
  const isAll = spokenResult(output).trim().split('\n').length + spareLines <= most;
  if (runsScripts.test(command))
    return toldScript.test(command) && (isAll || (isEnd && scriptHead.test(output)));
  return tellsFailure.test(command) && (isEnd || isAll);
}

// What these print on failing does not go to the error stream, which only some tools show.
const printsOutput = /\b(?:tsc|eslint|oxlint|stylelint|biome|ruff|mypy|pyright|shellcheck|prettier|gofmt)\b/;

/**
 * What comes back of the output of a program that ends at a place of a command; `undefined` where that is not known, and
 * where the output goes elsewhere.
 */
function shownLines(command: string, end: number): ShownLines | undefined {
  if (end === 0) return undefined;
  const whole = command.slice(0, 4_000);
  const plain = whole.replace(quotedText, (quoted) => '_'.repeat(quoted.length));
  const hasErrors = /2>&1|\|&/.test(plain) || printsOutput.test(plain.slice(0, end));
  if (!hasErrors || /&\s*$/.test(plain) || plain.replaceAll('2>&1', '').includes('>')) return undefined;
  let shown: ShownLines | undefined = {
    pattern: '',
    ignoresCase: false,
    isCount: false,
    isEnd: true,
    most: Infinity,
    text: '',
  };
  for (const { at, mark } of joints(plain, end)) {
    const filter = whole.slice(at, nextJoint(plain, at)).trim();
    // What runs behind it shows its lines beside these; only another filter may hide some.
    if (mark.startsWith('|') && mark !== '||' && shown) shown = filtered(shown, filter);
  }
  return shown;
}

const joint = /&&|\|\||\|&|[|;\n]/g;

function joints(plain: string, from: number): { readonly at: number; readonly mark: string }[] {
  return [...plain.matchAll(joint)]
    .filter(({ index }) => index >= from)
    .map(({ index, 0: mark }) => ({ at: index + mark.length, mark }));
}

function nextJoint(plain: string, from: number): number {
  const next = plain.slice(from).search(joint);
  return next < 0 ? plain.length : from + next;
}

function filtered(before: ShownLines, filter: string): ShownLines {
  const text = `${before.text} | ${filter}`;
  if (showing.test(filter)) {
    const isEnd = before.isEnd && !/^(?:head|sort|uniq)\b/.test(filter);
    return { ...before, isEnd, most: Math.min(before.most, mostOf(filter)), text };
  }
  if (counting.test(filter)) return { ...before, isCount: true, text };
  const [, ...words] = filter.match(shellWord) ?? [];
  const options = words.filter((word) => word.startsWith('-'));
  const isKnown = choosing.test(filter) && before.pattern === '' && !before.isCount;
  if (!isKnown || options.some((word) => hidesLines.test(word)))
    return { ...before, pattern: undefined, text };
  const given = words.filter((word, at) => !word.startsWith('-') && !withValue.test(words[at - 1] ?? ''));
  const pattern = (given[0] ?? '').replace(/^(['"])(.*)\1$/s, '$2');
  if (given.length !== 1 || pattern === '') return { ...before, pattern: undefined, text };
  const has = (letter: string): boolean =>
    options.some((word) => /^-[a-zA-Z]+$/.test(word) && word.includes(letter));
  return { ...before, pattern, ignoresCase: has('i'), isCount: has('c'), text };
}

/** How many lines `head` and `tail` show. */
function mostOf(filter: string): number {
  if (!/^(?:head|tail)\b/.test(filter)) return Infinity;
  return Number(/\s-(?:n\s?|-lines[= ])?(\d{1,6})\b/.exec(filter)?.[1] ?? 10);
}

// What a failure is told with, whatever it is about.
const failureWords = new Set(
  'error errors error: error[ error\\[ fail failed failures failing fail: problem problems'.split(' '),
);
const failureMarks = /^(?:[✗✘✕×✖❌●]|not ok|error TS(?:\\d|\[0-9\])?)\s*$/;

/** Whether a filter chooses what failures are told with. */
function choosesFailures(pattern = ''): boolean {
  return wordsOf(pattern).some((word) => failureMarks.test(word) || failureWords.has(word.toLowerCase()));
}

function wordsOf(pattern: string): string[] {
  return pattern.split(/\\?\|/).map((one) => one.replace(/^[\^(\s]+|[)\s]+$/g, ''));
}

/** Whether a filter that came back with no line would have shown those of a failure: it chose them, or it chooses what all have. */
function wouldShow({ pattern, ignoresCase, text }: ShownLines, { line, filter }: Told): boolean {
  if (filter === text) return true;
  if (pattern === undefined || pattern === '') return false;
  return wordsOf(pattern).some((word) => {
    if (failureMarks.test(word)) return true;
    if (!failureWords.has(word.toLowerCase())) return false;
    const plain = word.replace('\\', '');
    return ignoresCase ? line.toLowerCase().includes(plain.toLowerCase()) : line.includes(plain);
  });
}
