/** What is the same for every problem of one code. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/**
 * Every code that an answer of the server can carry, with its status. The first half are the codes of the engine: a new
 * one does not compile in the server until somebody decides its status here. `docs/errors.md` has a heading for each.
 */
export const problems = {
  'invalid-option': { status: 422, title: 'A value is not allowed' },
  'bad-wire-format': { status: 422, title: 'Messages are not of the format they are said to be' },
  'bad-state': { status: 500, title: 'What is stored cannot be read' },
  'cannot-fit': { status: 422, title: 'Nothing fits the window' },
  'not-loaded': { status: 500, title: 'Messages were not loaded' },
  'undo-refused': { status: 409, title: 'The former view would not fit' },
  'driver-failed': { status: 502, title: 'The model server failed' },
  'unreadable-file': { status: 422, title: 'A file cannot be read' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'already-exists': { status: 409, title: 'The id is taken' },
  'lease-lost': { status: 409, title: 'Another process has the session' },
  'quota-exceeded': { status: 429, title: 'The owner has used what they may' },
  'store-failed': { status: 503, title: 'The session store cannot be used' },
  'store-version': { status: 503, title: 'The session store is of a newer version' },
  cancelled: { status: 499, title: 'Cancelled' },

  'bad-json': { status: 400, title: 'The body is not JSON' },
  'bad-request': { status: 400, title: 'The request cannot be understood' },
  'invalid-request': { status: 422, title: 'The request is not what is expected' },
  unauthorized: { status: 401, title: 'A token is required' },
  forbidden: { status: 403, title: 'This caller may not do that' },
  'forbidden-host': { status: 403, title: 'This host is not served' },
  'forbidden-origin': { status: 403, title: 'Pages of this origin may not call' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'not-acceptable': { status: 406, title: 'No answer of the type that is accepted' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  busy: { status: 409, title: 'The session is busy' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'payload-too-deep': { status: 413, title: 'The body is nested too deeply' },
  'unsupported-media-type': { status: 415, title: 'The body is of another type' },
  'too-many-requests': { status: 429, title: 'Too many requests at a time' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  fault: { status: 500, title: 'A fault of the server' },
  'shutting-down': { status: 503, title: 'The server is shutting down' },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof problems;
