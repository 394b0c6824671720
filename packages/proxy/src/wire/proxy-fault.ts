import type { DialectName } from '../stream/dialect-streams.ts';
import type { ProxyLog } from '../options/proxy-options.ts';
import type { StreamFault } from '../stream/shared/continuation.ts';

type FaultCode =
  | 'unsupported-encoding'
  | 'broken-body'
  | 'body-too-large'
  | 'no-such-route'
  | 'bad-address'
  | 'cannot-fit'
  | 'quota-exceeded'
  | 'unreachable'
  | 'broken-stream'
  | 'answer-too-large'
  | 'fault';

interface FaultRow {
  readonly status: number;
  /** In the words of the providers. */
  readonly anthropic: string;
  readonly openai: string;
  readonly openaiCode: string | null;
}

const invalid = { anthropic: 'invalid_request_error', openai: 'invalid_request_error', openaiCode: null };
const broken = { anthropic: 'api_error', openai: 'server_error', openaiCode: null };

/** Every error of the proxy's own, in the words that clients read. */
const rows: Readonly<Record<FaultCode, FaultRow>> = {
  'unsupported-encoding': { status: 415, ...invalid },
  'broken-body': { status: 400, ...invalid },
  'body-too-large': { status: 413, ...invalid, anthropic: 'request_too_large' },
  'no-such-route': { status: 404, ...invalid, anthropic: 'not_found_error' },
  'bad-address': { status: 400, ...invalid },
  'cannot-fit': { status: 400, ...invalid, openaiCode: 'context_length_exceeded' },
  'quota-exceeded': {
    status: 429,
    anthropic: 'rate_limit_error',
    openai: 'rate_limit_error',
    openaiCode: 'rate_limit_exceeded',
  },
  unreachable: { status: 502, ...broken },
  'broken-stream': { status: 502, ...broken },
  'answer-too-large': { status: 502, ...broken },
  fault: { status: 500, ...broken },
};

/** An error of the proxy itself. What the upstream says is never one: it goes through as it is. */
export class ProxyFault extends Error {
  readonly code: FaultCode;
  /** It may be otherwise then. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: FaultCode,
    message: string,
    { retryAfterMs, ...options }: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.name = 'ProxyFault';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number {
    return rows[this.code].status;
  }

  /** The same inside a stream that has begun. */
  streamFault(dialect: DialectName): StreamFault {
    const { anthropic, openai, openaiCode } = rows[this.code];
    const type = dialect === 'messages' ? anthropic : openai;
    return { message: this.message, type, ...(openaiCode !== null && { code: openaiCode }) };
  }

  /** As the client of this dialect reads errors. */
  body(dialect: DialectName): object {
    const { anthropic, openai, openaiCode } = rows[this.code];
    return dialect === 'messages'
      ? { type: 'error', error: { type: anthropic, message: this.message } }
      : { error: { message: this.message, type: openai, param: null, code: openaiCode } };
  }
}

/** An error as one of the proxy; what is none is one that nobody foresaw, and is told in the log alone. */
export function faultOf(error: unknown, log: ProxyLog | undefined): ProxyFault {
  if (error instanceof ProxyFault) return error;
  log?.warn({ error: String(error) }, 'An error that nobody foresaw');
  return new ProxyFault('fault', 'Something went wrong in the proxy.');
}
