/** What went wrong, in words that both providers have. */
export type FaultKind =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'too-large'
  | 'not-found'
  | 'unknown-model'
  | 'conflict'
  | 'context-length'
  | 'rate'
  | 'timeout'
  | 'upstream'
  | 'stopping'
  | 'server';

export interface Fault {
  readonly kind: FaultKind;
  readonly message: string;
  /** The field of the request. */
  readonly param?: string;
}

const faultStatus: Readonly<Record<FaultKind, number>> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'too-large': 413,
  'not-found': 404,
  'unknown-model': 404,
  conflict: 409,
  'context-length': 400,
  rate: 429,
  timeout: 504,
  upstream: 502,
  stopping: 503,
  server: 500,
};

/** A request that cannot be answered. It never leaves the routes but in the error shape of its API. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

export function badRequest(param: string, expected: string): RequestFault {
  return new RequestFault({ kind: 'bad-request', message: `Expected ${param} to be ${expected}.`, param });
}

const types: Readonly<Record<FaultKind, readonly [type: string, code: string | null]>> = {
  'bad-request': ['invalid_request_error', 'invalid_value'],
  unauthorized: ['invalid_request_error', 'invalid_api_key'],
  forbidden: ['invalid_request_error', 'forbidden'],
  'too-large': ['invalid_request_error', 'request_too_large'],
  'not-found': ['invalid_request_error', 'not_found'],
  'unknown-model': ['invalid_request_error', 'model_not_found'],
  conflict: ['invalid_request_error', 'conflict'],
  'context-length': ['invalid_request_error', 'context_length_exceeded'],
  rate: ['rate_limit_error', 'rate_limit_exceeded'],
  timeout: ['server_error', 'timeout'],
  upstream: ['server_error', 'upstream_error'],
  stopping: ['server_error', 'shutting_down'],
  server: ['server_error', null],
};

/** OpenAI's error shape. */
export function openaiFault({ kind, message, param = '' }: Fault): {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
} {
  const [type, code] = types[kind];
  return { error: { message, type, param: param === '' ? null : param, code } };
}

/** What an API says where something went wrong. */
export interface Shape {
  fault(fault: Fault): object;
}

/** The agent has tried often enough: clients are told not to try again, but where another server may be there soon. */
export function faultResponse(
  shape: Shape,
  fault: Fault,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(shape.fault(fault), {
    status: faultStatus[fault.kind],
    headers: { ...headers, 'x-should-retry': String(fault.kind === 'stopping') },
  });
}
