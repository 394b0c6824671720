import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that is answered on the socket itself. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
  /** Who calls, where callers show tokens. */
  readonly owner: string;
  /** Told before the answer is over, where something is known. */
  readonly onDone: (done: RawDone) => void;
}

/** What was done to a request on its way. */
export interface RawDone {
  readonly action: string;
  readonly savedTokens: number;
}

/** Routes beside those of the API whose bytes are handed on as they come: a proxy. */
export interface RawRoutes {
  readonly owns: (path: string) => boolean;
  /**
   * Whether callers show their token in the usual places. Where those hold the key of an upstream, it stands in a header
   * of its own.
   */
  readonly takesUsualCredentials: (path: string) => boolean;
  /** Of the configuration, for counting; the same for all that has no name there. */
  readonly nameOf: (path: string) => string;
  /** Answers it, whatever comes of it. */
  readonly handle: (request: RawRequest) => Promise<void>;
}
