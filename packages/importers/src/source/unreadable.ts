import { ContextError } from '@throughline/core';
import type { RecordingNote } from '../recording/recording.ts';

/** A place in a file, counted from 1. */
interface FilePlace {
  readonly line: number;
  readonly column?: number;
}

/** The error for a file that cannot be read: names the file, the place where there is one, and the reason. */
export function unreadable(
  file: string,
  reason: string,
  at?: FilePlace | number,
): ContextError<'unreadable-file'> {
  const place = typeof at === 'number' ? { line: at } : at;
  const where = [file, ...(place === undefined ? [] : [placeText(place)])].join(': ');
  return new ContextError('unreadable-file', `${where}: ${reason}`, {
    file,
    reason,
    ...(place === undefined ? {} : { line: place.line }),
  });
}

function placeText({ line, column }: FilePlace): string {
  return column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
}

/** What a user is told of lines that an importer does not know; the line of the first stands beside it. */
export function unknownLinesNote(count: number): string {
  return count === 1
    ? 'a line of an unknown type is not read'
    : `${count} lines of an unknown type are not read; this is the first`;
}

interface Seen {
  readonly line: number | undefined;
  readonly what: string;
  count: number;
}

/** Counts what a reader does not know, by type, and says so once per type. Types known to say nothing are quiet. */
export class UnreadTypes {
  readonly #quiet: ReadonlySet<string>;
  readonly #seen = new Map<string, Seen>();

  constructor(quiet: ReadonlySet<string>) {
    this.#quiet = quiet;
  }

  see(type: string, what: string, line?: number): void {
    if (this.#quiet.has(type)) return;
    const seen = this.#seen.get(type);
    if (seen) seen.count += 1;
    else this.#seen.set(type, { line, what, count: 1 });
  }

  notes(): RecordingNote[] {
    return [...this.#seen].map(([type, { line, what, count }]) => {
      const name = type === '' ? 'without a type' : `of type ${type}`;
      const first = line === undefined ? '' : '; this is the first';
      const note =
        count === 1
          ? `${article(what)} ${name} is not read`
          : `${count} ${what}s ${name} are not read${first}`;
      return line === undefined ? { note } : { line, note };
    });
  }
}

function article(what: string): string {
  return 'aeiou'.includes(what.charAt(0)) ? `an ${what}` : `a ${what}`;
}
