import { ContextError } from '@throughline/core';
import { headersOf, isFault, problemOf, RequestRefused } from '../problem-of.ts';
import { messagesDialect } from './dialects/messages.ts';
import { faultResponse, openaiFault, RequestFault } from './wire/request-fault.ts';
import type { Problem, ProblemCode } from '@throughline/protocol';
import type { Fault, FaultKind, Shape } from './wire/request-fault.ts';

/** Every problem of the server in words that both providers have: a new one does not compile without its row. */
const kinds: Readonly<Record<ProblemCode, FaultKind>> = {
  'invalid-option': 'bad-request',
  'bad-wire-format': 'bad-request',
  'bad-state': 'server',
  'cannot-fit': 'context-length',
  'not-loaded': 'server',
  'undo-refused': 'conflict',
  'driver-failed': 'upstream',
  'unreadable-file': 'bad-request',
  'not-found': 'not-found',
  'already-exists': 'conflict',
  'lease-lost': 'conflict',
  'quota-exceeded': 'rate',
  'store-failed': 'stopping',
  'store-version': 'server',
  cancelled: 'upstream',
  'bad-json': 'bad-request',
  'bad-request': 'bad-request',
  'invalid-request': 'bad-request',
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  'forbidden-host': 'forbidden',
  'forbidden-origin': 'forbidden',
  'method-not-allowed': 'bad-request',
  'not-acceptable': 'bad-request',
  'request-timeout': 'bad-request',
  busy: 'conflict',
  'payload-too-large': 'too-large',
  'payload-too-deep': 'too-large',
  'unsupported-media-type': 'bad-request',
  'too-many-requests': 'rate',
  'headers-too-large': 'too-large',
  fault: 'server',
  'shutting-down': 'stopping',
};

/** What a client needs to know of a request to be told of its error in the shape that it reads. */
interface AskedOf {
  readonly path: string;
  readonly isAnthropic: boolean;
}

/** The shape of errors where the path is one of a provider's API; `undefined` on all others. */
export function shapeAt({ path, isAnthropic }: AskedOf): Shape | undefined {
  if (!/^\/v1(?:\/|$)/.test(path)) return undefined;
  const isMessages = /^(?:\/v1)+\/messages(?:\/|$)/.test(path);
  return isAnthropic || isMessages ? messagesDialect : { fault: openaiFault };
}

/** An error that somebody foresaw as a fault of a provider; `undefined` where it is none of those. */
export function foreseenError(shape: Shape, error: unknown): Response | undefined {
  if (error instanceof RequestFault) return faultResponse(shape, error.fault);
  if (error instanceof RequestRefused || ContextError.is(error, 'quota-exceeded'))
    return refusedResponse(shape, problemOf(error), headersOf(error));
  if (!ContextError.is(error)) return undefined;
  return faultResponse(shape, {
    ...faultOfProblem(problemOf(error)),
    ...(ContextError.is(error, 'invalid-option') && { param: error.details.option }),
  });
}

/** An error as an answer in the shape of a provider. Those that nobody foresaw are told to `onFault`. */
export function providerError(shape: Shape, error: unknown, onFault: (error: unknown) => void): Response {
  if (isFault(error)) onFault(error);
  return foreseenError(shape, error) ?? faultResponse(shape, faultOfProblem(problemOf(error)));
}

/** What is refused keeps its status. Where it says when to try again, and that is soon, clients are told that they may. */
function refusedResponse(
  shape: Shape,
  problem: Problem,
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json(shape.fault(faultOfProblem(problem)), {
    status: problem.status,
    headers: {
      ...headers,
      'x-should-retry': String(Number(headers['retry-after'] ?? Infinity) <= longestRetrySeconds),
    },
  });
}

/** SDKs of both providers wait no longer than this because a server says so, and try at once instead. */
const longestRetrySeconds = 60;

export function faultOfProblem({ code, detail }: Problem): Fault {
  // The problems of this server have no other codes.
  return { kind: kinds[code as ProblemCode], message: detail };
}
