import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './services.ts';

/** How a server ends. */
export interface ServerEnd {
  /** Aborted: nothing new is taken, and streams of events end with a reason. */
  readonly refusing: AbortSignal;
  /** Aborted: what is still being answered is over. */
  readonly stopping: AbortSignal;
}

/** What every route finds in its context; the guards of `security/` have put it there. */
export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Who asks; nobody yet where a guard has refused before it was known. */
    caller: Caller;
    /** Stands in the log, and in the answer as `x-request-id`. */
    requestId: string;
    /** Aborted when the server stops: streams end then, with a reason. */
    stopping: AbortSignal;
    /** The body as JSON, within the limits. @throws {RequestRefused} */
    readJson: () => Promise<unknown>;
    /** The body as bytes, piece by piece, within the limits. It throws `RequestRefused` where there are more. */
    readBody: () => AsyncIterable<Uint8Array>;
    /** Most bytes of a body. */
    maxBodyBytes: number;
  };
}

export type ServerContext = Context<ServerEnv>;
