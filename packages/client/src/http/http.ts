import { ProblemError } from './problem-error.ts';
import type { Problem } from '@throughline/protocol/types';

export interface ClientOptions {
  /** Where the server is, as `http://127.0.0.1:4100`. A path before the API's own stays. */
  readonly baseUrl: string;
  /** @default none is sent */
  readonly token?: string;
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch;
}

export interface HttpRequest {
  readonly method: string;
  /** Below the address of the server, with a slash in front. */
  readonly path: string;
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON; bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one server. What it refuses is thrown. */
export interface Http {
  /** @throws {ProblemError} for every answer that is no success */
  send(request: HttpRequest): Promise<Response>;
}

export function createHttp({ baseUrl, token, fetch }: ClientOptions): Http {
  const root = baseUrl.replace(/\/+$/, '');
  // The global one must be called as such, and may be replaced later.
  const ask = fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  return {
    async send({ method, path, query = {}, body, headers = {}, signal }) {
      const all = new Headers(headers);
      if (token !== undefined) all.set('authorization', `Bearer ${token}`);
      const isPlain = body === undefined || body instanceof Uint8Array;
      if (!isPlain && !all.has('content-type')) all.set('content-type', 'application/json');
      const response = await ask(`${root}${path}${searchOf(query)}`, {
        method,
        headers: all,
        ...(body === undefined
          ? {}
          : { body: isPlain ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
      if (response.ok) return response;
      throw new ProblemError(await problemOf(response));
    },
  };
}

function searchOf(query: NonNullable<HttpRequest['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** What the server says, or what can be said of an answer that is not its own: a proxy's, say. */
async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  const said = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = said === true ? problemIn(text) : undefined;
  return (
    problem ?? {
      type: 'about:blank',
      title: response.statusText,
      status: response.status,
      detail: `${response.status} ${response.statusText}: ${text.slice(0, 200)}`,
      code: 'unknown',
    }
  );
}

function problemIn(text: string): Problem | undefined {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return undefined;
  }
}
