import { CommandFailure } from './failure.ts';
import { exitCode } from './exit-code.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of this path is no folder',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'permission to read it is missing',
};

/** What went wrong with a file or folder that the user named. */
export function unreadable(what: string, path: string, error: unknown): CommandFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new CommandFailure('unreadable-file', `${what} ${path} cannot be read: ${reason}.`, {
    exitCode: exitCode.unreadable,
    details: { file: path, reason },
  });
}
