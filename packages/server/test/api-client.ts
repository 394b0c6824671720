import { expect } from 'vitest';
import { problems } from '@throughline/protocol';
import type { Problem } from '@throughline/protocol';

/** What a test says of it is what it must be. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** As JSON. */
  readonly body: Parsed;
}

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

/** Asks a server as a program does that has nothing but `fetch`. Whatever is no success must be problem details. */
export function askerOf(url: string, token?: string): Ask {
  return async (method, path, { body, headers = {} } = {}) => {
    const isJson = body !== undefined && typeof body !== 'string';
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as string) }),
    });
    const text = await answer.text();
    const isObject =
      /json/.test(answer.headers.get('content-type') ?? '') &&
      !/ndjson/.test(answer.headers.get('content-type') ?? '');
    const read = {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isObject ? JSON.parse(text) : undefined,
    };
    if (!answer.ok) expectProblem(read);
    return read;
  };
}

/** Problem details in the one form, with the status of their code. */
function expectProblem({ status, headers, body }: Answer): void {
  expect(headers.get('content-type')).toBe('application/problem+json');
  const problem = body as Problem;
  expect(Object.keys(problems)).toContain(problem.code);
  expect(problem).toMatchObject({ ...problems[problem.code as keyof typeof problems], status });
  expect(problem.detail).not.toBe('');
}
