import { ContextError } from '@throughline/core';

/** An error about a path as the model wrote it; the message is the result the model sees. */
export function pathRefused(path: string, reason: string): ContextError {
  const shown = path.length > 300 ? `${path.slice(0, 300).toWellFormed()}…` : path;
  return new ContextError('unreadable-file', `${JSON.stringify(shown)} ${reason}`, { file: shown, reason });
}
