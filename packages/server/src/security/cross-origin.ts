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
