import { describeCall, toolWords } from './calls.ts';
import { oneLine } from '../text/cut-text.ts';
import { callInputValue, resultText } from '../transcript/entry-text.ts';
import { exitCodeOf } from './failures.ts';
import type { CallPart, Entry, RecallId, ResultPart } from '../transcript/entry.ts';
import type { RunningTask } from '../transcript/summary.ts';

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
