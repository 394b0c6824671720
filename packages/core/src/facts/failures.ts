import { cutHead, cutTail, withoutRulers } from '../text/cut-text.ts';
import { describeCall, toolWords } from './calls.ts';
import { plainResultText } from '../transcript/entry-text.ts';
import { remembered } from '../transcript/memory.ts';
import type { CallPart, ResultPart } from '../transcript/entry.ts';

const frame =
  /^(?:Chunk ID|Wall time|Process exited with code|Exit code|Original token count|Output|Total output lines|Command)\b[^\n]{0,80}$/i;

/** What a result says, without the lines that a tool puts in front of every output. */
export function spokenResult(text: string): string {
  if (!/^(?:Chunk ID|Wall time|Exit code|Command:)/.test(text)) return text;
  const lines = text.split('\n');
  let first = 0;
  while (
    first < Math.min(lines.length, 8) &&
    (frame.test(lines[first] ?? '') || (lines[first] ?? '').trim() === '')
  )
    first += 1;
  return lines.slice(first).join('\n');
}

const refusal =
  /\buser (?:doesn['’]t want|did not (?:allow|approve)|rejected|refused|denied|declined|cancell?ed)|(?:rejected|denied|interrupted|cancell?ed|aborted) by (?:the )?user|\btool use was rejected\b/i;
const refusalCharacters = 400;

/** Whether a call was not made because the user did not want it: nothing has failed then. */
export function isRefused(result: ResultPart): boolean {
  return result.isError && refusal.test(plainResultText(result).slice(0, refusalCharacters));
}

const abortion =
  /(?:^|\n)\W{0,3}(?:(?:the )?(?:command|operation|execution|tool call|tool execution|request) (?:was )?(?:aborted|interrupted|cancell?ed)|aborted)\b[^\n]{0,80}\s*$/i;

// Claude Code stops the calls beside one that failed.
const besideFailure =
  /^\s*(?:<tool_use_error>)?(?:sibling tool call errored|cancell?ed: parallel tool call\b[^\n]{0,200}\berrored)\b/i;

/** Whether a call was not made because one beside it failed. */
export function isNotRun(result: ResultPart): boolean {
  return result.isError && besideFailure.test(cutHead(plainResultText(result), headChars));
}

/** Whether a call was stopped while it ran, or before: it has neither failed nor gone well. */
export function isAborted(result: ResultPart): boolean {
  return isNotRun(result) || (result.isError && abortion.test(cutTail(plainResultText(result), tailChars)));
}

const emptyOutput =
  /^\s*(?:\(no output\)|\(empty\)|\(\w{1,20} completed with no output\)|(?:<system>)?(?:tool|your command) ran (?:successfully|without)[^\n]{0,20} output\.?(?:<\/system>)?)?\s*(?:(?:Command|Process) exited with (?:exit )?code 1\.?)?\s*$/i;

/** Whether an output has no line, but for what a tool says around it. */
export function isQuiet(output: string): boolean {
  return emptyOutput.test(spokenResult(output).slice(0, 200));
}

/** The line of a quiet result that says so: a search that found nothing. */
export function nothingFound(call: CallPart, result: ResultPart): string | undefined {
  if (!isFailedResult(result, call) || isFailedCall(call, result)) return undefined;
  return (
    plainResultText(result)
      .trim()
      .split('\n')
      .findLast((line) => /exited with/.test(line)) ?? 'nothing found'
  );
}

/** Whether a call failed: by its flag, its exit code, or the form of what came back. A search without a match did not. */
export function isFailedCall(call: CallPart, result: ResultPart): boolean {
  if (!isFailedResult(result, call)) return isRefusedEdit(call, result);
  return !(isQuiet(plainResultText(result)) && describeCall(call).kind === 'look');
}

// What an editor says of an edit that it did not make (SWE-agent, Anthropic's editor): no line of the file that it shows.
const notApplied =
  /^(?:your (?:proposed )?(?:changes?|edits?) (?:have|has|were|was) not (?:been )?applied\b|the edit was not applied[.:;]|no (?:replacement|edit) was (?:performed|made)\b)/im;

function isRefusedEdit(call: CallPart, result: ResultPart): boolean {
  if (describeCall(call).kind !== 'edit') return false;
  const text = plainResultText(result);
  return notApplied.test(cutHead(text, headChars)) || notApplied.test(cutTail(text, tailChars));
}

/** Whether the output of an action that was written as text says that it failed. */
export function tellsFailedOutput(text: string): boolean {
  const head = cutHead(text, headChars);
  const code = outputCode.exec(head)?.[1];
  if (code !== undefined) return Number(code) !== 0;
  return failurePattern.test(head) || notApplied.test(head) || notApplied.test(cutTail(text, tailChars));
}

// mini-swe-agent
const outputCode = /^\s{0,9}<returncode>(-?\d{1,5})<\/returncode>/;

// A line that says how a command ended, as tools write it around its output: not `exit 1` or `exitCode: 1,` in a script.
const exitLine =
  /^[^\w\n]{0,3}(?:[\w:]{1,20} ){0,5}(?:exit(?:ed)?(?: with)?(?: exit)?(?: status| code)|exited with|exit ?[:=])["'>]?\s{0,3}[:=]?\s{0,3}(-?\d{1,5})(?=\W*$|[,.\])>])/gim;
const exitField = /^[\s<"'{]{0,8}(?:exit_?code|return_?code)["'>]?\s{0,3}[:=]?\s{0,3}(-?\d{1,5})\b/i;
const lastExitField =
  /(?:^|\n)[\s<"'{]{0,8}(?:exit_?code|return_?code)["'>]?\s{0,3}[:=]?\s{0,3}(-?\d{1,5})(?:<\/\w{1,20}>)?[\s"'})\]>]{0,4}$/i;
const exitInJson = /"exit_?code"\s{0,3}:\s{0,3}(-?\d{1,5})/i;
// In all of these, and in few results.
const exitWord = /exit|return/i;
// What a complaint begins with; `error.ts` in a listing and a heading about errors do not.
const failurePattern =
  /^[^\w#]{0,20}(?:\w{0,30}(?:error|exception)(?:[:[]|\s{0,9}(?:[\n(]|$)|\s(?:TS)?\d|\s(?:in thread|while|occurred|(?!handling)\w{1,20}ing\b))|fatal(?: error)?:|traceback \(|tool_use_error|command failed|failed to |\w{1,30} verification failed\b)/i;
// What an interface answers that tells failures in its JSON: an error, or only that it did not do it.
const errorInJson =
  /^\s*\{(?:[^{}[\]]{0,200},)?\s*"errors?"\s*:\s*(?:"(?!(?:none|null|false|no|ok|0)")[^"\s]|\[\s*["{]|\{[^{}]{0,200}"(?:message|code|detail)")/i;
const notDoneInJson = /^\s*\{(?:[^{}[\]]{0,200},)?\s*"(?:ok|success|succeeded)"\s*:\s*false\b/i;
const errorLine =
  /err(?:or|!)|exception|fatal|panic|fail|denied|not found|no such|cannot|can't|unable|invalid|エラー|失敗|错误|錯誤|失败|오류|실패|ошибк|fehler|erreur/i;

const headChars = 300;
const tailChars = 600;
const maxLineChars = 300;
const edgeTags = /^<\/?[\w-]{1,40}>|<\/?[\w-]{1,40}>$/g;
const otherBreaks = /[\r\v\f\u0085\u2028\u2029]/g;

/** The exit code that a command's result reports at its start or end, where it does. */
export function exitCodeOf(text: string): number | undefined {
  const head = cutHead(text, headChars);
  const tail = cutTail(text, tailChars);
  if (!exitWord.test(head) && !exitWord.test(tail)) return undefined;
  const code =
    [...head.matchAll(exitLine)][0] ??
    exitField.exec(head) ??
    (head.trimStart().startsWith('{') ? (exitInJson.exec(head) ?? exitInJson.exec(tail)) : null) ??
    [...tail.matchAll(exitLine)].at(-1) ??
    lastExitField.exec(tail);
  return code ? Number(code[1]) : undefined;
}

/**
 * Whether a result says that its call failed: by its flag, by the exit code of a command, or by how its text begins
 * (formats without a flag).
 */
export function isFailedResult(part: ResultPart, call?: CallPart): boolean {
  // Not all who ask know the call: the answer depends on nothing else of it than this.
  const name = part.name ?? call?.name ?? '';
  if (shellName.test(name)) return hasCommandFailed(part);
  return hasCallFailed(part) || tellsFailure(name, part);
}

const shellName = /bash|shell|exec|command|terminal|run/i;
// What stands in a file says nothing of the call.
const readerWords = new Set('read cat view open load file files fetch download'.split(' '));
// Of a question `"success": false` is an answer, as that a search found nothing is.
const askingWords = new Set(
  'get list search find query lookup look check verify validate exists is has can'.split(' '),
);
const writerWords = new Set(
  'write edit create update insert delete replace apply add set send book cancel pay submit publish'.split(
    ' ',
  ),
);

function says(own: readonly string[], words: ReadonlySet<string>): boolean {
  return own.some((word) => words.has(word)) && !own.some((word) => writerWords.has(word));
}

/** Whether what came back tells a failure in its JSON, for a tool of this name. */
function tellsFailure(name: string, part: ResultPart): boolean {
  const head = cutHead(plainResultText(part), headChars);
  if (name === '' || !/^\s*\{/.test(head)) return false;
  const own = toolWords(name);
  if (says(own, readerWords)) return false;
  return errorInJson.test(head) || (!says(own, askingWords) && notDoneInJson.test(head));
}

/** Files, errors and the timeline all ask. */
const hasCallFailed = remembered(tellsCallFailed);

function tellsCallFailed(part: ResultPart): boolean {
  return part.isError || failurePattern.test(cutHead(plainResultText(part), headChars));
}

const hasCommandFailed = remembered((part: ResultPart) => {
  const code = part.isError ? undefined : exitCodeOf(plainResultText(part));
  return code === undefined ? tellsCallFailed(part) : code !== 0;
});

const gitComplaint = /^(?:fatal: |error: failed to push| ! \[(?:remote )?rejected\])/m;
const complaintWords = ['fatal: ', 'failed to push', 'rejected]'];
const longestAnswer = 20_000;

/** Whether git says that it failed: `git push 2>&1 | tail -5` ends as `tail` does. */
export function complainsOfGit(part: ResultPart): boolean {
  const text = plainResultText(part).slice(-longestAnswer);
  // Nearly no result holds one of the words: they are found faster than the beginnings of lines.
  return complaintWords.some((words) => text.includes(words)) && gitComplaint.test(text);
}

// What runs a program says that the program failed: the line before says why.
const saysThatOnly =
  /^\W{0,9}(?:g?make(?:\[\d{1,3}\])?: \*\*\*|(?:npm (?:ERR!|error) )?(?:A complete log of this run|code \w{1,40}$)|(?:\[?ERR\w{0,40}\]?\s)?ELIFECYCLE\b|error:? Command failed with exit code|Command failed with exit code|Error: Process completed with exit code)/i;
// Behind it comes what it is about.
const bareMark = /^\W{0,9}(?:error|exception|fatal)\W{0,9}$/i;

/**
 * The last line of a failed result that names an error, better one that says which; else its last line. At most 300
 * characters.
 */
export function lastErrorLine(part: ResultPart): string {
  const lines = cutTail(plainResultText(part), 40_000)
    .split('\n')
    .map(withoutTags)
    .filter((line) => line.trim() !== '');
  const line = withoutRulers(errorLineOf(lines));
  // Word for word, with the spaces in it: what is looked for later is the text of the error.
  const words = cutHead(line, maxLineChars * 4)
    .replace(otherBreaks, ' ')
    .trim();
  return cutHead(words, maxLineChars).trimEnd().toWellFormed();
}

function errorLineOf(lines: readonly string[]): string {
  const cause = testCause(lines);
  if (cause !== undefined) return cause;
  const naming = lines.flatMap((line, at) => (namesError(cutHead(line, 2_000)) ? [at] : []));
  const at =
    naming.findLast((one) => !saysThatOnly.test(lines[one] ?? '')) ?? naming.at(-1) ?? lastSaying(lines);
  const line = lines[at] ?? '';
  return bareMark.test(line) && at + 1 < lines.length ? `${line.trim()} ${lines[at + 1]?.trim()}` : line;
}

function lastSaying(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => !isFrameLine(line));
  return last >= 0 ? last : lines.length - 1;
}

// What runners of tests print of a failed run (pytest, go test, vitest, jest, cargo …).
const failedRun =
  /^(?:=+ FAILURES =+|=+ [^\n=]{0,80}\b\d{1,9} failed\b[^\n]{0,80}=+|\s*--- FAIL: \S[^\n]*|FAIL\s\S[^\n]*|\s*Tests?:? +\d[^\n]{0,40}failed[^\n]*)$/;
// What says why, the best first.
const causes = [
  /^E\s{2,}\S/,
  /^\s*[\w./@\\-]{1,200}\.\w{1,5}:\d{1,7}(?::\d{1,5})?: (?!\w*(?:Warning|Error)\s*$)\S/,
  /^\s*(?:\w+\.)?Assertion(?:Failed)?Error\b.{4}/,
  /^\s*--- FAIL: \S/,
];
const warns = /warning/i;

/** Of a failed run of tests the first line that says why; `undefined` for any other output. */
function testCause(lines: readonly string[]): string | undefined {
  if (!lines.some((line) => failedRun.test(cutHead(line, 300)))) return undefined;
  for (const cause of causes) {
    const found = lines.find((line) => cause.test(cutHead(line, 300)) && !warns.test(cutHead(line, 300)));
    if (found !== undefined) return found;
  }
  return undefined;
}

// A ruler, a bare verdict, a tag of a frame, and a code that says that nothing failed.
const saysNothing =
  /^[^\p{L}\p{N}]*(?:(?:FAIL|FAILED|FAILURES|ERRORS)[^\p{L}\p{N}]*|<\/?[\w-]{1,40}[^<>]*>|exit code: 0\W*)?$/u;

/** Whether a line of a result is only drawn around what it says, or says no more than that it failed. */
export function isFrameLine(line: string): boolean {
  return saysNothing.test(line.trim());
}

/** `✓ rejects invalid input` is the name of a test that passed. */
function namesError(line: string): boolean {
  return errorLine.test(line) && !/^\s*[✓✔√]/.test(line) && !isFrameLine(line);
}

/** A tool that wraps its complaint in `<tool_use_error>` says nothing with the tag (Claude Code). */
function withoutTags(line: string): string {
  return line.endsWith('>') || line.startsWith('<') ? line.replace(edgeTags, '') : line;
}

const refusedOption =
  /\b(?:unknown|unrecognized|unrecognised|unsupported|invalid|illegal|unexpected|no such) (?:shorthand )?(?:flag|option|switch|argument)s?\b[:\s'"`]{1,4}(?:-- '?(\w)|(--?\w[\w-]{0,60}))/i;

/** Whether a program that verifies something refused an option of the command: that says something about the spelling alone. */
export function refusesOption(command: string, text: string): boolean {
  const said = spokenResult(text);
  const ends =
    said.length > 2 * usageCharacters
      ? [said.slice(0, usageCharacters), said.slice(-usageCharacters)]
      : [said];
  const refused = ends.map((end) => refusedOption.exec(end)).find((found) => found !== null);
  if (!refused) return false;
  const [, letter = '', option] = refused;
  const words = command.slice(0, 4_000).split(/[\s;&|()=]+/);
  return words.some((word) =>
    option === undefined ? /^-\w/.test(word) && word.includes(letter) : word === option,
  );
}

// What a program says of how it is used may stand behind the complaint, or in front of it.
const usageCharacters = 400;
