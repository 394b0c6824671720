import { ProblemError } from '@throughline/client';

/** Something that is fetched, at any moment. */
export type Loadable<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'ready'; readonly value: Value };

/** Why something did not work, for people. */
export interface Failure {
  readonly title: string;
  readonly detail: string;
  /** As on the page on errors; `unreachable` where no server answered. */
  readonly code: string;
}

export const loading: Loadable<never> = { state: 'loading' };

export function ready<Value>(value: Value): Loadable<Value> {
  return { state: 'ready', value };
}

export function failed(error: unknown): Loadable<never> {
  return { state: 'failed', failure: failureOf(error) };
}

/** A sentence for everything that a call can throw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ProblemError) {
    const { title, detail, code } = error.problem;
    return { title: title === '' ? 'The server refused' : title, detail, code };
  }
  if (error instanceof TypeError)
    return {
      title: 'The server does not answer',
      detail: 'It cannot be reached. Check that `throughline serve` still runs.',
      code: 'unreachable',
    };
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'Something went wrong in this page', detail, code: 'page-fault' };
}

/** What TanStack Query knows, as one value. Data that was there stays while it is fetched again. */
export function loadableOf<Value>(query: {
  readonly data: Value | undefined;
  readonly error: unknown;
}): Loadable<Value> {
  if (query.data !== undefined) return ready(query.data);
  return query.error ? failed(query.error) : loading;
}

export function mapLoadable<From, To>(from: Loadable<From>, change: (value: From) => To): Loadable<To> {
  return from.state === 'ready' ? ready(change(from.value)) : from;
}
