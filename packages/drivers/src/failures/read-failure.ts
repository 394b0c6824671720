import { factsOf } from './error-facts.ts';
import { isRateLimit, overflowIn } from './read-overflow.ts';
import type { Answer } from '@throughline/core';
import type { FailureKind, ModelFailure } from '@throughline/ports';
import type { ErrorFacts } from './error-facts.ts';
import type { Overflow } from './read-overflow.ts';

type Verdict = Pick<ModelFailure, 'kind' | 'recoverable' | 'unsupported'>;
type Rule = readonly [Verdict, (facts: ErrorFacts) => boolean];

const verdict = (kind: FailureKind, recoverable: boolean): Verdict => ({ kind, recoverable });
const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status }: ErrorFacts): boolean =>
    status !== undefined && statuses.includes(status);
const says =
  (pattern: RegExp) =>
  ({ names, texts }: ErrorFacts): boolean =>
    [...names].some((name) => pattern.test(name)) || texts.some((text) => pattern.test(text));
const either =
  (...rules: readonly ((facts: ErrorFacts) => boolean)[]) =>
  (facts: ErrorFacts): boolean =>
    rules.some((rule) => rule(facts));

/** What is no overflow, from the most certain to the least; the first that fits counts. */
const rules: readonly Rule[] = [
  [verdict('provider', false), ({ names }) => names.has('wrongaddresserror')],
  // Nobody mends a certificate, or an address that cannot be one, while we wait.
  [
    verdict('provider', false),
    says(
      /^(?:err_tls_|cert_|err_invalid_url)|self.signed.cert|unable_to_(?:verify|get_issuer)|^unexpected redirect$/i,
    ),
  ],
  // The SDKs end a request that takes too long by an abort of their own, and name it as the cause.
  [verdict('timeout', true), ({ names }) => [...names].some((name) => name.endsWith('timeouterror'))],
  [verdict('cancelled', false), says(/^(?:aborterror|apiuseraborterror|request was aborted\.)$/i)],
  [
    { ...verdict('provider', false), unsupported: 'tools' },
    says(
      /does not support (?:tools|function)|support tool (?:use|calling)|enable-auto-tool-choice|tools? (?:is|are) not supported/i,
    ),
  ],
  // A quota does not fill up again by waiting a little; Google says the same of a limit per minute, and how long to wait.
  [
    verdict('rate', false),
    either(
      ({ names }) => names.has('insufficient_quota'),
      (facts) =>
        retryAfterOf(facts) === undefined &&
        says(/exceeded your current quota|extra usage is required|credit balance/i)(facts),
    ),
  ],
  [verdict('rate', true), isRateLimit],
  [
    verdict('auth', false),
    either(
      hasStatus(401, 402, 403),
      says(/^(?:authentication|permission|billing)_error$|invalid_api_key|invalid.{0,10}api.?key/i),
    ),
  ],
  [
    verdict('timeout', true),
    either(
      hasStatus(408, 504, 522, 524),
      says(/timeouterror|connectiontimeouterror|und_err_\w+_timeout|etimedout|timed.?out/i),
    ),
  ],
  [verdict('provider', true), ({ status }) => status !== undefined && (status >= 500 || status === 409)],
  // No status at all: an error inside a stream, or the connection broke, or there never was one.
  [
    verdict('provider', true),
    (facts) => facts.status === undefined && (saysServerFault(facts) || saysConnectionFault(facts)),
  ],
];

const saysServerFault = says(
  /overloaded|server_error|internal.?error|api_error|unavailable|bad gateway|try again|retry your request/i,
);
const saysConnectionFault = says(
  /econn(?:reset|refused|aborted)|epipe|enotfound|eai_again|ehostunreach|enetunreach|und_err_socket|apiconnectionerror|connection error|fetch failed|socket hang up|terminated|premature|network|other side closed|ended before/i,
);

const kindOf: Readonly<Record<Overflow['kind'], FailureKind>> = {
  tokens: 'overflow',
  bytes: 'bytes',
  media: 'media',
};
const maxMessageChars = 2_000;

/**
 * Why a call of a model failed, out of whatever was thrown or sent: the error of any SDK, a body, an event of a stream.
 * Never throws; bounded like {@link readOverflow}.
 *
 * @param secrets taken out of the message wherever they stand: servers repeat keys in their refusals.
 */
export function readFailure(error: unknown, secrets: readonly string[] = []): ModelFailure {
  const facts = factsOf(error);
  const { status, headers } = facts;
  const retryAfterMs = retryAfterOf(facts);
  const requestId = headers.get('x-request-id') ?? headers.get('request-id');
  return {
    ...judge(facts),
    message: without(messageOf(facts), secrets).slice(0, maxMessageChars),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(requestId !== undefined && { requestId }),
  };
}

function judge(facts: ErrorFacts): Omit<ModelFailure, 'message'> {
  const overflow = overflowIn(facts);
  if (!overflow) return rules.find(([, fits]) => fits(facts))?.[0] ?? verdict('provider', false);
  const { kind, takesNoImages, isSilent: _, words: __, ...numbers } = overflow;
  return {
    kind: kindOf[kind],
    recoverable: true,
    ...numbers,
    ...(takesNoImages && { unsupported: 'images' }),
  };
}

/** The innermost is the one that knows. */
function messageOf({ texts, status, names }: ErrorFacts): string {
  const said = texts.findLast((text) => /\s/.test(text)) ?? texts.at(-1);
  const message =
    said ?? (status === undefined ? [...names].join(', ') || 'unknown error' : `HTTP ${status}`);
  const advice = status === undefined && networkAdvice.find(([fault]) => fault.test(message))?.[1];
  return advice ? `${message}: ${advice}` : message;
}

/** What the system says of a server that it does not reach is a word for programmers; a server writes longer texts. */
const networkAdvice: readonly (readonly [RegExp, string])[] = [
  [
    /^.{0,20}\bECONNREFUSED\b.{0,80}$/,
    'nothing listens there. Start the server of the model, or change the address that is configured for it (baseUrl).',
  ],
  [
    /^.{0,20}\bENOTFOUND\b.{0,260}$/,
    'there is no such host. Change the address that is configured for the model (baseUrl).',
  ],
  [
    /^.{0,20}\bEAI_AGAIN\b.{0,260}$/,
    'the name of the host cannot be looked up. See that there is a network.',
  ],
  [
    /^.{0,20}\b(?:EHOSTUNREACH|ENETUNREACH)\b.{0,80}$/,
    'there is no way to that host. See that there is a network.',
  ],
];

function without(message: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.split(secret).join('[key]'), message);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const askedFor =
  /(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|s|m|h)[a-z]{0,6}\s?){1,4})/i;
const duration = /^\d{1,9}(?:\.\d{1,9})?s$/;
const longestMs = 7 * 24 * 3_600_000;

/**
 * How long a server asks one to wait: `retry-after-ms`, `retry-after` (seconds, or a date, held against the date of the
 * response, so that no clock is needed), Google's `retryDelay`, or what the message says in words.
 */
function retryAfterOf({ headers, texts }: ErrorFacts): number | undefined {
  const delayMs =
    positive(headers.get('retry-after-ms'), 1) ??
    positive(headers.get('retry-after'), 1_000) ??
    untilDate(headers.get('retry-after'), headers.get('date')) ??
    texts.map(inWords).find((found) => found !== undefined);
  return delayMs === undefined ? undefined : Math.min(Math.ceil(delayMs), longestMs);
}

function positive(text: string | undefined, unit: number): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text) * unit;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function untilDate(date: string | undefined, now: string | undefined): number | undefined {
  if (date === undefined || now === undefined) return undefined;
  const delayMs = Date.parse(date) - Date.parse(now);
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined;
}

function inWords(text: string): number | undefined {
  if (duration.test(text)) return Number(text.slice(0, -1)) * 1_000;
  const said = askedFor.exec(text)?.[1];
  if (said === undefined) return undefined;
  let delayMs = 0;
  for (const [, value, unit] of said.matchAll(/([\d.]+)\s?(ms|s|m|h)/gi)) {
    delayMs += Number(value) * (unitMs[(unit ?? '').toLowerCase()] ?? 0);
  }
  return Number.isFinite(delayMs) ? delayMs : undefined;
}

const causes: Readonly<Record<FailureKind, Extract<Answer, { type: 'failed' }>['cause']>> = {
  overflow: 'overflow',
  bytes: 'overflow',
  media: 'overflow',
  timeout: 'timeout',
  cancelled: 'cancelled',
  rate: 'unavailable',
  auth: 'unavailable',
  provider: 'unavailable',
};

/** What a failure is to the engine, which asked for a piece of prose. */
export function failedAnswer({ kind, status, message, limitTokens, promptTokens }: ModelFailure): Answer {
  const cause = causes[kind];
  // SDKs put the status in front of a body that is no error of the API.
  const isSaid = status === undefined || message.startsWith(`${status} `);
  const said = isSaid ? message : `${status} ${message}`;
  return {
    type: 'failed',
    cause,
    message: cause === 'cancelled' ? 'cancelled' : said,
    ...(cause === 'overflow' && limitTokens !== undefined && { limitTokens }),
    ...(cause === 'overflow' && promptTokens !== undefined && { promptTokens }),
  };
}
