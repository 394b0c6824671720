import { openSession } from '../services.ts';
import { RequestRefused } from '../problem-of.ts';
import type { AgentSession } from '@throughline/agent';
import type { Caller } from '../services.ts';
import type { Decoded, HandledRoute, Reply, RouteName } from '@throughline/protocol';
import type { EventStreams } from '../events/event-streams.ts';
import type { OpenedServices } from '../settings/open-settings.ts';
import type { ServerContext } from '../server-env.ts';

/** What a handler works with beside what was asked. */
export interface Around {
  readonly services: OpenedServices;
  readonly streams: EventStreams;
  readonly context: ServerContext;
  readonly caller: Caller;
  /** The server stops. */
  readonly stopping: AbortSignal;
  /** Whoever asked is gone. */
  readonly gone: AbortSignal;
}

/** Any handler, for whoever calls them all alike. */
export type Handler = (
  asked: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  around: Around,
) => Promise<Response | { readonly status: number; readonly body: unknown }>;

/** Answers one route. */
type HandlerOf<Name extends RouteName> = (
  asked: Decoded<Name>,
  around: Around,
) => Promise<Reply<Name> | Response>;

/** One for each route. */
export type Handlers = { readonly [Name in HandledRoute]: HandlerOf<Name> };

/** The caller's session. @throws {ContextError} `not-found`, also for somebody else's */
export function sessionOf({ services, caller }: Around, sessionId: string): Promise<AgentSession> {
  return openSession(services, caller, sessionId);
}

/** Something that takes as long as it takes, unless whoever asked goes, or the server stops. */
export async function untilGone<Result>(
  work: Promise<Result>,
  { stopping, gone }: Pick<Around, 'stopping' | 'gone'>,
): Promise<Result> {
  const ended = AbortSignal.any([stopping, gone]);
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void =>
    reject(
      new RequestRefused(
        'shutting-down',
        'The server is shutting down. What was asked for goes on by itself.',
        {
          headers: { connection: 'close', 'retry-after': '1' },
        },
      ),
    );
  if (ended.aborted) leave();
  else ended.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    ended.removeEventListener('abort', leave);
  }
}

/** @throws {RequestRefused} `busy`, which passes by itself */
export function refuseBusy(what: string): never {
  throw new RequestRefused(
    'busy',
    `${what} while a run or a compaction of the session is busy. Try again later.`,
    {
      headers: { 'retry-after': '1' },
    },
  );
}
