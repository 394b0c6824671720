import { ContextError, errorMessage } from '@throughline/core/settings';
import { exitCode } from './exit-code.ts';
import type { ErrorCode } from '@throughline/core';
import type { ExitCode } from './exit-code.ts';

/** Something went wrong in a way that the user can act on. The message is one sentence. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  /** Stands in `--json`; branch on it. */
  readonly code: string;
  readonly details: unknown;

  constructor(
    code: string,
    message: string,
    options: { readonly exitCode: ExitCode; readonly details?: unknown },
  ) {
    super(message);
    this.code = code;
    this.exitCode = options.exitCode;
    this.details = options.details;
  }
}

/** What is told of a failure. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
  readonly exitCode: ExitCode;
}

/** A new error code does not compile until someone decides its exit code here. */
const exitCodeOf = {
  'invalid-option': exitCode.usage,
  'not-found': exitCode.usage,
  'bad-wire-format': exitCode.unreadable,
  'unreadable-file': exitCode.unreadable,
  'bad-state': exitCode.unreadable,
  'cannot-fit': exitCode.notGood,
  'not-loaded': exitCode.notGood,
  'undo-refused': exitCode.notGood,
  'driver-failed': exitCode.notGood,
  'already-exists': exitCode.notGood,
  'lease-lost': exitCode.notGood,
  'quota-exceeded': exitCode.notGood,
  'store-failed': exitCode.unreadable,
  'store-version': exitCode.unreadable,
  cancelled: exitCode.interrupted,
} as const satisfies Record<ErrorCode, ExitCode>;

/** Any thrown value as a sentence, a code and an exit code. What nobody foresaw is a fault of ours. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandFailure) {
    const { code, message, details } = error;
    return { code, message, exitCode: error.exitCode, ...(details === undefined ? {} : { details }) };
  }
  if (ContextError.is(error)) {
    const { code, message, details } = error;
    return { code, message, details, exitCode: exitCodeOf[code] };
  }
  const message = errorMessage(error);
  const hint = 'This is a fault of throughline; THROUGHLINE_DEBUG=1 shows where.';
  return {
    code: 'fault',
    message: `${message.split('\n', 1)[0] ?? ''} ${hint}`.trim(),
    exitCode: exitCode.fault,
  };
}

/** A mistake in the options. */
export function usageFailure(message: string): CommandFailure {
  return new CommandFailure('usage', message, { exitCode: exitCode.usage });
}

/** The exit code of an error that is known by its code only. What nobody foresaw is a fault of ours. */
export function exitCodeOfError(code: string): ExitCode {
  return Object.hasOwn(exitCodeOf, code) ? exitCodeOf[code as ErrorCode] : exitCode.fault;
}

/** What the system calls an error, such as `ENOENT`; empty where it has no name. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of this path is no folder',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'permission to read it is missing',
};

/** What went wrong with a file or folder that the user named. */
export function unreadable(what: string, path: string, error: unknown): CommandFailure {
  const code = systemCodeOf(error);
  const reason = reasons[code] ?? errorMessage(error);
  return new CommandFailure('unreadable-file', `${what} ${path} cannot be read: ${reason}.`, {
    exitCode: exitCode.unreadable,
    details: { file: path, reason },
  });
}

/** Two sentences in a row: the first ends with a full stop. */
export function joined(sentence: string, next: string): string {
  const ended = /[.!?…]$/.test(sentence.trim()) ? sentence.trim() : `${sentence.trim()}.`;
  return next === '' ? ended : `${ended} ${next}`;
}
