import { ContextError } from '@throughline/core';
import { problems } from '@throughline/protocol';
import type { ErrorCode } from '@throughline/core';
import type { Fault, Problem, ProblemCode, ProblemKind } from '@throughline/protocol';

/** What an error is to a caller. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestRefused) {
    const { code, message, faults, data } = error;
    return newProblem(code, message, { ...(faults && { faults }), ...(data && { data }) });
  }
  if (!ContextError.is(error)) return newProblem('fault', 'Something went wrong that nobody foresaw.');
  const hidden = hiddenDetail[error.code]?.(error);
  if (hidden !== undefined) return newProblem(error.code, hidden);
  const faults = faultsOf(error);
  return newProblem(error.code, error.message, { ...(faults && { faults }), data: { ...error.details } });
}

/** What an answer says beside its body. */
export function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof RequestRefused) return error.headers;
  if (!ContextError.is(error, 'quota-exceeded') || error.details.retryAfterMs === null) return {};
  return { 'retry-after': String(Math.ceil(error.details.retryAfterMs / 1_000)) };
}

/** Whether the caller can do nothing about it, and somebody should look. */
export function isFault(error: unknown): boolean {
  return problemOf(error).status >= 500 && !(error instanceof RequestRefused);
}

export function newProblem(
  code: ProblemCode,
  detail: string,
  more: Pick<Problem, 'faults' | 'data'> = {},
): Problem {
  const { status, title } = kindOf[code];
  return { type: `/errors#${code}`, title, status, detail, code, ...more };
}

// Both sides are checked here: a code of the engine without a row in the table does not compile.
const kindOf: Readonly<Record<ProblemCode | ErrorCode, ProblemKind>> = problems;

/** Codes whose message names files of this machine: a caller over the network has no use for them. */
const hiddenDetail: { readonly [Code in ErrorCode]?: (error: ContextError) => string } = {
  'store-failed': (error) =>
    ContextError.is(error, 'store-failed')
      ? `The session store cannot be used: ${error.details.reason}.`
      : '',
  'store-version': () => 'The session store was written by a newer version of the program.',
  'bad-state': () => 'What is stored of this session cannot be read by this version.',
};

function faultsOf(error: ContextError): readonly Fault[] | undefined {
  if (ContextError.is(error, 'invalid-option')) {
    const { option, expected } = error.details;
    return [{ path: pointerOf(option), message: `expected ${expected}` }];
  }
  if (ContextError.is(error, 'bad-wire-format')) {
    const { path, expected } = error.details;
    return [{ path: pointerOf(path), message: `expected ${expected}` }];
  }
  return undefined;
}

/** `content[0].data` as a JSON pointer. */
function pointerOf(path: string): string {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** An error as an answer: problem details, whatever it was. Those that nobody foresaw are told to `onFault`. */
export function answerProblem(error: unknown, onFault: (error: unknown) => void): Response {
  if (isFault(error)) onFault(error);
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headersOf(error),
    },
  });
}

interface RefusalOptions {
  readonly faults?: readonly Fault[];
  readonly data?: Readonly<Record<string, unknown>>;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is not served, and why. It never leaves the server as anything but problem details. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ProblemCode;
  readonly faults: readonly Fault[] | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, message: string, { faults, data, headers = {} }: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.faults = faults;
    this.data = data;
    this.headers = headers;
  }
}
