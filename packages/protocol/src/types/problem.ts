/**
 * What every error of the HTTP API is: problem details of RFC 9457, as `application/problem+json`. Programs go by
 * `code`, people read `detail`.
 */
export interface Problem {
  /** A URI reference that names the kind of problem: the page on errors, at its code. */
  readonly type: string;
  /** The kind of problem in a few words: the same for every problem of a code. */
  readonly title: string;
  /** The status of the answer. */
  readonly status: number;
  /** What was expected and what came. */
  readonly detail: string;
  /** One of the codes on the page on errors. */
  readonly code: string;
  /** What is wrong with which part of the request, one entry for each fault; absent where it is not the request's. */
  readonly faults?: readonly Fault[];
  /** What the error knows beside its sentence, such as the names that would have been right. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Fault {
  /** Where: a JSON pointer into the body, or `query.limit`, `path.id`, `header.host`. */
  readonly path: string;
  /** What was expected there. */
  readonly message: string;
}
