import { describeCall } from './calls.ts';
import { isFailedResult } from './failed-result.ts';
import { resultText } from '../transcript/entry-text.ts';
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
  /\buser (?:doesn['’]t want|did not (?:allow|approve)|rejected|refused|denied|declined|cancell?ed)|(?:rejected|denied|interrupted|cancell?ed|aborted) by (?:the )?user/i;
const refusalCharacters = 400;

/** Whether a call was not made because the user did not want it: nothing has failed then. */
export function isRefused(result: ResultPart): boolean {
  return result.isError && refusal.test(resultText(result).slice(0, refusalCharacters));
}

const emptyOutput =
  /^\s*(?:\(no output\)|\(empty\))?\s*(?:(?:Command|Process) exited with (?:exit )?code 1\.?)?\s*$/i;

/** The line of a quiet result that says so: a search that found nothing. */
export function nothingFound(call: CallPart, result: ResultPart): string | undefined {
  if (!isFailedResult(result, call) || isFailedCall(call, result)) return undefined;
  return (
    resultText(result)
      .trim()
      .split('\n')
      .findLast((line) => /exited with/.test(line)) ?? 'nothing found'
  );
}

/** Whether a call failed: by its flag, its exit code, or the form of what came back. A search without a match did not. */
export function isFailedCall(call: CallPart, result: ResultPart): boolean {
  if (!isFailedResult(result, call)) return false;
  const isQuiet = emptyOutput.test(spokenResult(resultText(result)).slice(0, 200));
  return !(isQuiet && describeCall(call).kind === 'look');
}
