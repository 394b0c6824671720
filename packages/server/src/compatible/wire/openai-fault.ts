import type { Fault, FaultKind } from './request-fault.ts';

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
