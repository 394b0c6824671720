import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { ModelEndpoint, ProxyRoute } from '../options/proxy-options.ts';

type Headers = Record<string, string | string[]>;

/** What is said between two neighbours, and is not meant for whoever comes after them (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is meant for the proxy itself, and what undici writes. */
const own: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'x-context', tokenHeader()]);

/** Where a caller shows a token of this server, as its usual places hold the key for the upstream. */
function tokenHeader(): string {
  return 'x-throughline-token';
}

/** What describes the bytes of a body. */
const ofBytes: ReadonlySet<string> = new Set(['content-encoding', 'content-md5', 'digest', 'content-digest']);

const credentialHeaders = ['authorization', 'x-api-key', 'api-key'] as const;

/**
 * The headers of a request as the upstream gets them: all of the client's, unknown ones too, in their own words.
 *
 * @param isEdited the body is another than the client's: what describes its bytes is not true any more
 */
export function requestHeaders(
  given: IncomingHttpHeaders,
  { apiKey }: Pick<ProxyRoute, 'apiKey'>,
  isEdited: boolean,
): Headers {
  const named = namedIn(given.connection);
  const headers: Headers = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined || hopByHop.has(name) || own.has(name) || named.includes(name)) continue;
    if (!isEdited || !ofBytes.has(name)) headers[name] = value;
  }
  return apiKey === undefined ? headers : withKey(headers, apiKey);
}

/** The route's key in the place of the caller's: where there is none to replace, in both places that APIs read. */
function withKey(headers: Headers, apiKey: string): Headers {
  const shown = credentialHeaders.filter((name) => headers[name] !== undefined);
  const bare = Object.fromEntries(Object.entries(headers).filter(([name]) => !shown.includes(name as never)));
  const isAnthropic = headers['anthropic-version'] !== undefined;
  return { ...bare, ...(isAnthropic ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }) };
}

/** The headers of an answer as the client gets them. */
export function answerHeaders(given: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = namedIn(given.connection);
  const headers: OutgoingHttpHeaders = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined || hopByHop.has(name) || named.includes(name)) continue;
    if (!name.startsWith(pageRules)) headers[name] = value;
  }
  return headers;
}

/** Which pages may read an answer is for this server to say, and not for the one behind it. */
const pageRules = 'access-control-';

function namedIn(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive') return [];
  return String(connection)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Only what carries the credential, and what the API cannot do without: for what is asked of a server, not of a model. */
export function endpointHeaders(headers: Headers): Readonly<Record<string, string>> {
  const kept = [...credentialHeaders, 'anthropic-version', 'openai-organization', 'openai-project'];
  return Object.fromEntries(
    kept.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

/** What tells of one request and its body, and is not true of another one. */
const ofRequest: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-type',
  'idempotency-key',
  'range',
]);

/**
 * How a client asks its model: for a request of our own in its place. A gateway knows its callers by headers and by a
 * query of its own, and refuses whoever comes without them.
 */
export function waysOf(
  given: IncomingHttpHeaders,
  route: Pick<ProxyRoute, 'apiKey'>,
  search: string,
): NonNullable<ModelEndpoint['asClient']> {
  const headers = Object.entries(requestHeaders(given, route, true))
    .filter(([name]) => !ofRequest.has(name) && !name.startsWith('x-stainless-'))
    .map(([name, value]) => [name, String(value)]);
  return {
    headers: Object.fromEntries(headers),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/**
 * Whose conversations a caller may be answered from: the route, and a hash of the credential that the caller shows.
 * Neither tells the credential.
 */
export function scopeOf(route: ProxyRoute, owner: string, given: IncomingHttpHeaders): string {
  // With a key of the route's own the caller's says nothing about who pays; the owner does.
  const shown = route.apiKey === undefined ? credentialHeaders : [];
  const credentials = shown.map((name) => `\n${name}: ${String(given[name] ?? '')}`).join('');
  const place = JSON.stringify([route.name, route.upstream, owner]);
  return hash('sha256', `${place}${credentials}`, 'base64url').slice(0, 32);
}

/** How clients name their sessions, the plainest first. Only for display: one session has several conversations. */
const sessionHeaders = [
  'x-session-id',
  'x-claude-code-session-id',
  'session-id',
  'thread-id',
  'x-session-affinity',
];

export function sessionLabelOf(given: IncomingHttpHeaders): string | undefined {
  const value = sessionHeaders
    .map((name) => given[name])
    .find((one) => typeof one === 'string' && one !== '');
  return typeof value === 'string' ? value.slice(0, 200) : undefined;
}
