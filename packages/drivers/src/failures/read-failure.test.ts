import { APIConnectionTimeoutError, APIUserAbortError } from 'openai';
import { describe, expect, it } from 'vitest';
import { readFailure } from './read-failure.ts';

function withCause(error: Error, cause: unknown): Error {
  return Object.assign(error, { cause });
}

describe('readFailure', () => {
  it.each([
    [{ status: 429, message: 'slow down' }, 'rate', true],
    [
      { status: 429, error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
      'rate',
      false,
    ],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 'rate', true],
    [{ status: 401, message: 'Unauthorized' }, 'auth', false],
    [{ status: 402, message: 'Insufficient credits' }, 'auth', false],
    [{ status: 403, message: 'Forbidden' }, 'auth', false],
    [{ error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'auth', false],
    [{ status: 408, message: 'Request Timeout' }, 'timeout', true],
    [{ status: 504, message: 'Gateway Timeout' }, 'timeout', true],
    [new Error('Request timed out.'), 'timeout', true],
    [{ status: 500, message: 'boom' }, 'provider', true],
    [{ status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }, 'provider', true],
    [{ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'provider', true],
    [{ status: 404, message: 'model not found' }, 'provider', false],
    [{ status: 400, message: 'messages: roles must alternate, try again' }, 'provider', false],
    [{ status: 400, message: 'max_tokens is too large: 100000' }, 'provider', false],
    [{ status: 413, message: '' }, 'bytes', true],
    [{ status: 400, message: 'prompt is too long: 3 tokens > 2 maximum' }, 'overflow', true],
    [new DOMException('stopped', 'AbortError'), 'cancelled', false],
    [new Error('cut', { cause: new DOMException('stopped', 'AbortError') }), 'cancelled', false],
    [new APIConnectionTimeoutError({ message: 'slow' }), 'timeout', true],
    [withCause(new APIConnectionTimeoutError(), new DOMException('stopped', 'AbortError')), 'timeout', true],
    [new APIUserAbortError(), 'cancelled', false],
    ['something odd', 'provider', false],
    [undefined, 'provider', false],
  ])('reads %j', (error, kind, recoverable) => {
    expect(readFailure(error)).toMatchObject({ kind, recoverable });
  });

  it('reads a connection that broke, however deep the reason lies', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const error = new Error('Connection error.', { cause: new TypeError('fetch failed', { cause: reset }) });
    expect(readFailure(error)).toEqual({ kind: 'provider', recoverable: true, message: 'read ECONNRESET' });
  });

  it.each([
    [{ 'retry-after': '7' }, '', 7_000],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, '', 250],
    [{ 'retry-after': 'Sun, 01 Nov 2026 00:00:30 GMT', date: 'Sun, 01 Nov 2026 00:00:00 GMT' }, '', 30_000],
    [{ 'retry-after': 'soon' }, '', undefined],
    [{}, 'Please try again in 7.66s.', 7_660],
    [{}, 'Please try again in 1m2.5s. Need more?', 62_500],
    [{}, 'Please try again in 850ms.', 850],
    [{}, 'Please retry in 34.07s.', 34_070],
    [{ 'retry-after': '1e300' }, '', 604_800_000],
  ])('reads how long to wait from %j and "%s"', (headers, text, retryAfterMs) => {
    const error = {
      status: 429,
      headers: new Headers(headers as Record<string, string>),
      message: `slow. ${text}`,
    };
    expect(readFailure(error).retryAfterMs).toBe(retryAfterMs);
  });

  it('reads the delay of Google, and that its quota of a minute fills up again', () => {
    const error = {
      status: 429,
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }],
      },
    };
    expect(readFailure(error)).toMatchObject({ kind: 'rate', recoverable: true, retryAfterMs: 34_070 });
  });

  it.each([
    [400, 'registry.ollama.ai/library/gemma3:latest does not support tools'],
    [404, 'No endpoints found that support tool use. Try disabling "read".'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ])('knows a model that takes no tools (%s)', (status, message) => {
    expect(readFailure({ status, message })).toMatchObject({ kind: 'provider', unsupported: 'tools' });
  });

  it('knows a model that takes no images', () => {
    const message = 'No endpoints found that support image input';
    expect(readFailure({ status: 404, message })).toMatchObject({ kind: 'media', unsupported: 'images' });
  });

  it('takes the key out of the message, and shortens it', () => {
    const message = `Incorrect API key provided: sk-secret. ${'x'.repeat(5_000)}`;
    const failure = readFailure({ status: 401, message }, ['sk-secret']);
    expect(failure.message).toMatch(/^Incorrect API key provided: \[key\]\. x/);
    expect(failure.message).toHaveLength(2_000);
  });

  it('takes a hostile body in its stride', () => {
    const bombs = [
      'prompt is too long: '.repeat(100_000),
      '1'.repeat(5_000_000),
      ' '.repeat(5_000_000),
      '{'.repeat(1_000_000),
      '{"a":'.repeat(30_000),
      'request too large for tokens per min limit '.repeat(50_000),
      'maximum context length is 1 tokens. However, you requested 1 tokens ('.repeat(50_000),
      `try again in ${'1s '.repeat(500_000)}`,
      'image exceeds '.repeat(300_000),
    ];
    for (const bomb of bombs) {
      expect(readFailure({ status: 400, message: bomb }).message.length).toBeLessThanOrEqual(2_000);
    }
    const wide = { errors: Array.from({ length: 100_000 }, () => ({ message: 'no' })) };
    expect(readFailure(wide).kind).toBe('provider');
  });
});

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('does not wait for a certificate to become good: %s', (code) => {
  const cause = Object.assign(new Error('certificate trouble'), { code });
  const failure = readFailure(new TypeError('fetch failed', { cause }));
  expect(failure).toEqual({ kind: 'provider', recoverable: false, message: 'certificate trouble' });
});

it.each([
  ['connect ECONNREFUSED 127.0.0.1:1234', 'nothing listens there. Start the server of the model'],
  ['getaddrinfo ENOTFOUND api.nowhere.example', 'there is no such host. Change the address'],
  ['getaddrinfo EAI_AGAIN api.example', 'cannot be looked up'],
  ['connect EHOSTUNREACH 10.0.0.9:80', 'no way to that host'],
])('says of %s what to do', (said, advice) => {
  const failure = readFailure(new TypeError('fetch failed', { cause: new Error(said) }));
  expect(failure).toMatchObject({ kind: 'provider', recoverable: true });
  expect(failure.message.startsWith(`${said}: `)).toBe(true);
  expect(failure.message).toContain(advice);
});

it('leaves alone what a server says itself', () => {
  const said = 'upstream: connect ECONNREFUSED 127.0.0.1:1234';
  expect(readFailure({ status: 502, error: { message: said } }).message).toBe(said);
});
