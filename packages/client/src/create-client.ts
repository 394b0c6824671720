import { createHttp } from './http/http.ts';
import { followEvents } from './events/follow-events.ts';
import type { ClientOptions } from './http/http.ts';
import type { FollowOptions, Patience } from './events/follow-events.ts';

/** One event of a session. */
export interface SessionEvent {
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
  readonly runId: string | null;
  readonly atMs: number;
}

/** A server, as a program sees it. */
export interface Client {
  /**
   * The events of a session behind a number, and then those to come: each once and in order, across lost connections
   * and restarts of the server. Ends when the signal is aborted or the session is deleted.
   */
  events(sessionId: string, options?: FollowOptions): AsyncIterable<SessionEvent>;
}

export function createClient(options: ClientOptions & { readonly patience?: Patience }): Client {
  const http = createHttp(options);
  const { patience = {} } = options;
  return {
    events: (sessionId, follow = {}) =>
      followEvents({
        http,
        path: `/api/sessions/${encodeURIComponent(sessionId)}/events`,
        options: follow,
        patience,
      }),
  };
}
