import { add, ratioOf } from './metric.ts';
import { callInputText } from '@throughline/core/codec';
import type { Entry } from '@throughline/core';
import type { ResultPart } from '@throughline/core/codec';
import { withoutEscapes } from '@throughline/core/internal';
import type { SeenMessage } from '../sessions/message-text.ts';
import type { Metric, Sums } from './metric.ts';

/** How results without a flag say that the call went well, or failed. */
const exitCode =
  /\bexit(?:ed)?(?: with)?(?: (?:code|status))?[ :=]{1,3}(\d{1,3})\b|"exit_?code": ?(\d{1,3})/i;
const failure = /^Traceback \(most recent call last\)|^(?:fatal|error|panic)\b ?[:[]|<error>/im;
/** A line that says what went wrong. */
const errorLine =
  /(?:error|exception)s?\b|\bERR_|\b(?:failed|failure|fatal|panic|cannot|could not|not found|denied|(?:is|are) undefined|undefined (?:is|reference|variable|symbol|name|method)|unexpected|invalid|no such)\b/i;
/** Tags around a line; the line itself stays as it stands in the text. */
const tags = /^(?:\s*<\/?[\w-]{1,40}>)+|(?:<\/?[\w-]{1,40}>\s*)+$/g;
/** A failure is said near the beginning or the end, not in the middle of a file that was read. */
const edgeChars = 300;
/** A longer line counts as kept when its beginning is. */
const lineChars = 200;

/** The failed results of a history that no later success of the same call has settled, as it grows. */
interface ErrorTracker {
  add(entry: Entry): void;
  /** The last error line of the newest of them; `undefined` when there is none. */
  newest(): string | undefined;
}

export function createErrorTracker(): ErrorTracker {
  const calls = new Map<string, string>();
  const unsettled = new Map<string, string>();
  return {
    add({ parts }) {
      for (const part of parts) {
        if (part.type === 'call') calls.set(part.callId, `${part.name} ${callInputText(part)}`);
        if (part.type !== 'result') continue;
        const call = calls.get(part.callId) ?? part.callId;
        unsettled.delete(call);
        const line = isFailed(part) ? lastErrorLine(textOf(part)) : undefined;
        if (line !== undefined) unsettled.set(call, line);
      }
    },
    newest: () => [...unsettled.values()].at(-1),
  };
}

function textOf({ pieces }: ResultPart): string {
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
}

/** By its flag, by the exit code at the beginning or end of its text, or, where there is none, by an error mark there. */
export function isFailed(part: ResultPart): boolean {
  if (part.isError) return true;
  const text = textOf(part);
  const edges = [text.slice(0, edgeChars), text.slice(-edgeChars)];
  const codes = edges.flatMap((edge) => {
    const [, spoken, field] = exitCode.exec(edge) ?? [];
    return spoken ?? field ?? [];
  });
  return codes.length > 0 ? codes.some((code) => Number(code) > 0) : edges.some((edge) => failure.test(edge));
}

/** The last line that names an error, else the last line with words; cut to 200 characters. */
export function lastErrorLine(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.replaceAll(tags, '').trim())
    .filter((line) => /\p{L}/u.test(line));
  return (lines.findLast((line) => errorLine.test(line)) ?? lines.at(-1))?.slice(0, lineChars);
}

/**
 * M8, unresolved error survival: the last error line of the newest failed result without a later success of the same
 * call (same tool, same arguments) is in C_k. Share of the steps at which there is one.
 */
export const unresolvedErrors: Metric = {
  start() {
    const sums: Sums = {};
    return {
      sums,
      add({ step, seen }) {
        const line = step.unresolvedError;
        if (!step.isMeasured || line === undefined) return;
        add(sums, 'errors');
        // What a summary tells of a coloured line is what it reads.
        const plain = withoutEscapes(line);
        const isKept = ({ searchText }: SeenMessage): boolean =>
          searchText.includes(line) || (plain !== '' && searchText.includes(plain));
        if (seen.findLast(isKept) !== undefined) add(sums, 'kept');
      },
    };
  },
};

export function errorFigures(sums: Readonly<Sums>) {
  return { unresolvedErrors: ratioOf(sums, 'kept', 'errors') };
}
