import { ContextError } from '@throughline/core';
import { objectOf, parseJson } from '@throughline/core/internal';
import { sessionLines } from './session-lines.ts';
import type { Recording } from '@throughline/importers';

/** What a body holds that is to become a session. */
interface ReadImport {
  /** As an export has them. */
  readonly lines: AsyncIterable<string> | Iterable<string>;
  /** Whose recording it is: `throughline`, or a format of another tool. */
  readonly format: string;
  /** What of it stays behind, or could not be read: a sentence each. */
  readonly notes: readonly string[];
}

interface ReadOptions {
  readonly maxChars: number;
  readonly nowMs: number;
}

const mostNotes = 20;

/**
 * An export of ours, whose lines go through as they come, or what another tool has recorded, by its content.
 *
 * @throws {ContextError} `unreadable-file` with the line where there is one
 */
export async function readImport(
  lines: AsyncIterable<string>,
  { maxChars, nowMs }: ReadOptions,
): Promise<ReadImport> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = { [Symbol.asyncIterator]: () => iterator };
  if (first.done === true || isOwnLine(first.value))
    return {
      lines: behind(first.done === true ? [] : [first.value], rest),
      format: 'throughline',
      notes: [],
    };
  // Nobody who only listens needs what reads the files of other tools.
  const { readRecording } = await import('@throughline/importers');
  const limits = { maxJsonChars: maxChars, maxLinesChars: maxChars };
  const recording = await readRecording(withLineEnds(behind([first.value], rest)), { name: 'body', limits });
  const [session] = recording.sessions;
  if (!session) throw noConversation();
  const { lines: own, notes } = sessionLines(session, nowMs);
  return {
    lines: own,
    format: recording.format,
    notes: [...notes, ...notesOf(recording)].slice(0, mostNotes),
  };
}

/** A line of an export says what it is. A file of another tool has no such lines. */
function isOwnLine(line: string): boolean {
  if (line.length > longestFirstLine) return false;
  return typeof objectOf(parseJson(line))['line'] === 'string';
}

/** That of an export holds a title and a state. */
const longestFirstLine = 8_000_000;

async function* behind(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first;
  yield* rest;
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

function notesOf({ notes, sessions }: Recording): readonly string[] {
  const others = sessions.length - 1;
  return [
    ...(others > 0 ? [`${others} other conversation(s) of the file were left out.`] : []),
    ...notes.map(({ line, note }) => (line === undefined ? note : `Line ${line}: ${note}`)),
  ];
}

function noConversation(): ContextError<'unreadable-file'> {
  const reason = 'there is no conversation in it';
  return new ContextError('unreadable-file', `The body cannot be imported: ${reason}.`, {
    file: 'body',
    reason,
  });
}
