import { ProviderFault, WrongAddressError } from './run-stream.ts';
import { isObject, parseJson } from './wire-value.ts';
import type { WireObject } from './wire-value.ts';

type Fetch = typeof fetch;

const maxErrorBytes = 64 * 1024;
const maxAnswerBytes = 16 * 1024 * 1024;

interface GuardOptions {
  /** A whole answer as the one piece of a stream; `undefined` where a body is none. @default no body is one */
  readonly asOneChunk?: (body: WireObject) => WireObject | undefined;
}

/**
 * A `fetch` for the SDKs. The history goes to the address that was named, and to no other: a redirect is refused, and
 * said. Of an error no more is read than anybody needs. A JSON body where a stream was asked for is what it says: an
 * error with status 200, or a server that does not stream. A web page is no API.
 */
export function guardFetch(given: Fetch, { asOneChunk }: GuardOptions = {}): Fetch {
  return async (input, init) => {
    const response = await given(input, { ...init, redirect: 'manual' });
    const address = input instanceof Request ? input.url : String(input);
    if (isRedirect(response)) throw await redirected(address, response);
    const isPage = isOfType(response, /^(?:text\/html|application\/xhtml\+xml)/i);
    if (!response.ok) {
      const text = await readStart(response);
      return new Response((isPage ? pageWords(text) : text) || null, withStatus(response));
    }
    if (isPage) throw new WrongAddressError(await notAnApi(address, response));
    if (!isOfType(response, /^application\/(?:[\w.+-]+\+)?json/i)) return response;
    const text = await readStart(response, asOneChunk ? maxAnswerBytes : maxErrorBytes);
    const body = parseJson(text);
    if (isObject(body) && (body['error'] || body['type'] === 'error')) {
      throw new ProviderFault('the server answered with an error', body);
    }
    const chunk = isObject(body) ? asOneChunk?.(body) : undefined;
    if (chunk) return streamOf(chunk);
    throw new ProviderFault(`the server answered without a stream: ${text.slice(0, 500)}`);
  };
}

/** `opaqueredirect`: what browsers tell of it, and nothing more. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}

async function redirected(address: string, response: Response): Promise<WrongAddressError> {
  await response.body?.cancel();
  const location = response.headers.get('location');
  const target = location === null ? undefined : URL.parse(location, address);
  const where = target ? ` to ${placeOf(target)}` : '';
  return new WrongAddressError(
    `${placeOf(new URL(address))} redirects${where}; no redirect is followed, because the key would go along. Set the base URL to where the API is.`,
  );
}

async function notAnApi(address: string, response: Response): Promise<string> {
  const title = pageWords(await readStart(response));
  const said = title === '' ? '' : ` (“${title}”)`;
  const { pathname } = new URL(address);
  const hint = /\/v\d/.test(pathname) ? '' : ' Most end in /v1.';
  return `${placeOf(new URL(address))} answers with a web page${said}: that is no API. Check the base URL.${hint}`;
}

/** Without what may be secret in it: a name and password, and what is asked for. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function isOfType({ headers }: Response, type: RegExp): boolean {
  return type.test(headers.get('content-type') ?? '');
}

/** What a web page is about, in one line: its title, or how its text begins. */
function pageWords(html: string): string {
  const title = /<title[^>]*>([^<]{1,300})/i.exec(html)?.[1] ?? html.slice(0, 4_000).replace(/<[^>]*>/g, ' ');
  return title.replace(/\s+/g, ' ').trim().slice(0, 200);
}

function withStatus({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers);
  // The body is no longer what these say.
  kept.delete('content-length');
  kept.delete('content-encoding');
  return { status, statusText, headers: kept };
}

function streamOf(chunk: WireObject): Response {
  return new Response(`data: ${JSON.stringify(chunk)}\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

async function readStart(response: Response, maxBytes = maxErrorBytes): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length >= maxBytes) break;
  }
  return text;
}

type Dispatch = (options: object, handler: object) => boolean;

/** As far as it is needed of what Node's `fetch` sends with. */
interface Dispatcher {
  readonly compose?: (around: (dispatch: Dispatch) => Dispatch) => object;
}

/** Where Node keeps it, and where others put their own: one that goes through a proxy, say. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

/**
 * Node's own `fetch` gives up when a server is silent for 300 seconds, and local servers read long prompts for longer.
 * This one gives up after so long a silence, before the answer and in it. Where a `fetch` is not Node's, it is as it is.
 */
export function patientFetch(silenceMs: number): Fetch {
  return (input, init) => {
    const known = (globalThis as { readonly [dispatcherKey]?: Dispatcher })[dispatcherKey];
    const dispatcher = known?.compose?.(
      (dispatch) => (options, handler) =>
        dispatch({ ...options, headersTimeout: silenceMs, bodyTimeout: silenceMs }, handler),
    );
    return fetch(input, { ...init, ...(dispatcher && ({ dispatcher } as object)) });
  };
}
