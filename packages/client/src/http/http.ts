import type { Problem } from '@throughline/protocol/types';

/** Which server, and how it is reached. */
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
  const { status, statusText } = response;
  return problem
    ? { ...problem, status }
    : foreignAnswer(response, `${status} ${statusText}: ${text.slice(0, 200)}`);
}

function problemIn(text: string): Problem | undefined {
  try {
    const said = JSON.parse(text) as Partial<Problem> | null;
    return typeof said?.code === 'string' && typeof said.detail === 'string' ? (said as Problem) : undefined;
  } catch {
    return undefined;
  }
}

function foreignAnswer({ status, statusText }: Response, detail: string): Problem {
  return { type: 'about:blank', title: statusText, status, detail, code: 'unknown' };
}

/** The body of a success. @throws {ProblemError} where it is no JSON: a page of a proxy, or one that was cut */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const detail = `The answer is no JSON, so it is not the server's own: ${text.slice(0, 200)}`;
    throw new ProblemError(foreignAnswer(response, detail));
  }
}

/** The events of a success. @throws {ProblemError} where it is something else: a page of a proxy, say */
export async function eventBodyOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  const type = response.headers.get('content-type') ?? 'no type';
  if (response.body && /^text\/event-stream\b/i.test(type)) return response.body;
  await response.body?.cancel().catch(() => {});
  const detail = `The answer is no stream of events but ${type}, so it is not the server's own.`;
  throw new ProblemError(foreignAnswer(response, detail));
}

/** The lines of a body, without their ends. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const text = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = text.decode(value, { stream: true }).split('\n');
      lines[0] = `${rest}${lines[0] ?? ''}`;
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The server refused a request, and says why. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}
