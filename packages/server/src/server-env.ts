import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './services.ts';

/** What every route finds in its context; the guards of `security/` have put it there. */
export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Who asks. */
    caller: Caller;
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
