import { ContextError } from '@throughline/core';

/** The error for a file that cannot be read: names the file, the line where there is one, and the reason. */
export function unreadable(file: string, reason: string, line?: number): ContextError<'unreadable-file'> {
  const place = line === undefined ? file : `${file}: line ${line}`;
  return new ContextError('unreadable-file', `${place}: ${reason}`, {
    file,
    reason,
    ...(line === undefined ? {} : { line }),
  });
}
