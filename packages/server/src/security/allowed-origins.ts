import { hostname } from 'node:os';
import { isIP } from 'node:net';
import { isLoopback } from '../server-options.ts';
import type { ServerSetup } from '../server-options.ts';

/**
 * Whether a request that is addressed to this `Host` is one for us. A page of another site can give its own name our
 * address (DNS rebinding): the browser then takes us for that site, and only the name tells.
 */
export function hostCheck({
  host,
  allowedHosts,
}: Pick<ServerSetup, 'host' | 'allowedHosts'>): (header: string | undefined) => boolean {
  const names = new Set([...allowedHosts, host].map((name) => bare(name.toLowerCase())));
  const isEverywhere = names.has('0.0.0.0') || names.has('::');
  const isOwn = isLoopback(host) || isEverywhere ? ownNames(isEverywhere) : (): boolean => false;
  return (header) => {
    const name = hostNameOf(header);
    return name !== undefined && (names.has(name) || isOwn(name));
  };
}

/** An address in digits cannot be given to another site; a name can. */
function ownNames(isEverywhere: boolean): (name: string) => boolean {
  const own = hostname().toLowerCase();
  return (name) => isLoopback(name) || (isEverywhere && (name === own || isIP(name) !== 0));
}

/** The name in a `Host` header, without port and brackets; `undefined` where there is none. */
function hostNameOf(header: string | undefined): string | undefined {
  if (header === undefined || !/^[\w.:[\]-]{1,255}$/.test(header)) return undefined;
  const url = URL.parse(`http://${header}`);
  return url ? bare(url.hostname.toLowerCase()) : undefined;
}

function bare(name: string): string {
  return name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

interface AskingPage {
  readonly method: string;
  readonly host: string;
  readonly origin: string | undefined;
  /** What browsers say of who asks: `same-origin`, `cross-site` … */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
}

type OriginVerdict =
  /** No page, or one of ours. */
  | { readonly type: 'own' }
  /** A page of another origin that was allowed: it may read the answer. */
  | { readonly type: 'allowed'; readonly origin: string }
  | { readonly type: 'foreign'; readonly origin: string };

/**
 * Who asks, by what its browser says. Programs say nothing. Another port of this machine is another origin, too: what
 * runs there is somebody else's page.
 */
export function judgeOrigin(page: AskingPage, allowedOrigins: readonly string[]): OriginVerdict {
  const { origin, host, fetchSite, fetchMode } = page;
  if (origin !== undefined) {
    if (allowedOrigins.includes(origin)) return { type: 'allowed', origin };
    const isOwn = origin === `http://${host}` || origin === `https://${host}`;
    return isOwn ? { type: 'own' } : { type: 'foreign', origin };
  }
  // Without an origin: links that somebody follows are harmless, what a page loads by itself is not.
  const isLink = fetchMode === 'navigate' && (page.method === 'GET' || page.method === 'HEAD');
  const isForeign = fetchSite === 'cross-site' || fetchSite === 'same-site';
  return isForeign && !isLink ? { type: 'foreign', origin: fetchSite } : { type: 'own' };
}

/** What a page may read of an answer, beside its body. */
export const exposedHeaders =
  'x-request-id, x-session-id, retry-after, x-should-retry, x-throughline-ignored, x-vercel-ai-ui-message-stream';
export const corsMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

const corsRequestHeaders =
  'authorization, content-type, accept, last-event-id, x-api-key, x-session-id, idempotency-key, anthropic-version';

/** What SDKs of providers tell of themselves: names that no list can keep up with. */
const ofSdks = /^(?:x-stainless|anthropic|openai)-[\w-]{1,64}$/;
const mostOfSdks = 40;

/** The headers that a page may send, of those that it asks for by a family of names, too. */
export function corsHeadersFor(wanted = ''): string {
  const named = wanted
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return [corsRequestHeaders, ...named.filter((name) => ofSdks.test(name)).slice(0, mostOfSdks)].join(', ');
}

/** What a page may send that is handed on: its server knows the names, and we do not. */
export function anyHeadersFor(wanted = ''): string {
  const named = wanted
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => headerName.test(name));
  return [...new Set([...corsRequestHeaders.split(', '), ...named.slice(0, mostNamed)])].join(', ');
}

const headerName = /^[\w-]{1,64}$/;
const mostNamed = 60;
