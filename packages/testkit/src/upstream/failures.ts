import type { EventForm, Refusal } from './dialects/dialect.ts';
import type { ServerName } from './servers.ts';

/** What one answer does otherwise than a good server's. Everything that is left out is as usual. */
export interface Failure extends Partial<EventForm> {
  /** The request does not fit, whatever its size, in the words of this server. */
  readonly overflow?: ServerName;
  readonly refusal?: Refusal;
  /** These bytes under this status, whatever was asked. */
  readonly raw?: { readonly status: number; readonly body: string; readonly type?: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** Status 200, a well-formed stream or body, and nothing in it; `nothing`: a stream without any event. */
  readonly isEmpty?: boolean | 'nothing';
  /** An error event behind so many events, and then the end. */
  readonly errorAfter?: { readonly events: number; readonly refusal: Refusal };

  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** A comment line in front of every so many events. */
  readonly pingEvery?: number;
  readonly packets?: 'event' | 'byte' | 'together';
  readonly isGzipped?: boolean;

  /** The connection breaks: `0` before the head, else behind so many packets. */
  readonly resetAfter?: number;
  /** The stream ends in good order, but too early, behind so many events. */
  readonly endAfter?: number;
  /** Waits behind so many packets, `0`: before the head; without `until` for as long as the caller does. */
  readonly waitAfter?: { readonly packets: number; readonly until?: Promise<unknown> };
  /** The head goes out before the first packet is there. */
  readonly hasEarlyHead?: boolean;
}

function refused(status: number, type: string, message: string, after?: string): Failure {
  return {
    refusal: { status, type, message },
    ...(after === undefined ? {} : { headers: { 'retry-after': after } }),
  };
}

/** Failures by name. Each is a value like any that a test writes itself, and several can be spread into one. */
export const failures = {
  overflow: { overflow: 'openai' },
  'overflow in the stream': { overflow: 'openai-in-stream' },
  'overflow without an end': { overflow: 'lm-studio' },
  'rate limit': refused(429, 'rate_limit_error', 'Rate limit reached for requests', '1'),
  'too large for its minute': {
    refusal: {
      status: 413,
      type: 'tokens',
      code: 'rate_limit_exceeded',
      message:
        'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.',
    },
  },
  'server error': refused(500, 'api_error', 'Internal server error'),
  overloaded: refused(529, 'overloaded_error', 'Overloaded', '2'),
  'page of a gateway': {
    raw: { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>', type: 'text/html' },
  },
  'error in mid-answer': {
    errorAfter: {
      events: 4,
      refusal: { status: 529, type: 'overloaded_error', code: 'server_error', message: 'Overloaded' },
    },
  },
  'empty answer': { isEmpty: true },
  'stream without events': { isEmpty: 'nothing' },
  'reset before the head': { resetAfter: 0 },
  'reset in mid-answer': { resetAfter: 4 },
  'end in mid-answer': { endAfter: 4 },
  stall: { waitAfter: { packets: 4 } },
  'stall before the head': { waitAfter: { packets: 0 } },
  'byte by byte': { packets: 'byte' },
  'events in one packet': { packets: 'together' },
  'line ends of two characters': { lineEnd: '\r\n' },
  'line ends of a carriage return': { lineEnd: '\r' },
  'comment pings': { pingEvery: 2 },
  'zero usage at the start': { hasZeroUsageAtStart: true },
  'whole arguments': { hasWholeArguments: true },
  'calls from index 3': { firstCallIndex: 3 },
  'no end mark': { hasNoEnd: true },
  gzip: { isGzipped: true },
  'early head': { hasEarlyHead: true },
} as const satisfies Readonly<Record<string, Failure>>;

export type FailureName = keyof typeof failures;

export function failureOf(failure: FailureName | Failure | undefined): Failure {
  return typeof failure === 'string' ? failures[failure] : (failure ?? {});
}
