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

export const faultStatus: Readonly<Record<FaultKind, number>> = {
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
