import { ContextError } from '@throughline/core';

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
