import { eventBodyOf, ProblemError } from '../http/http.ts';
import { SseDecoder, sseEventsOf } from './sse-decoder.ts';
import type { FollowPlace } from './follow-place.ts';
import type { Http } from '../http/http.ts';

/** From where, and until when, the events of a session are read. */
export interface FollowOptions {
  /** The number behind which it begins. @default 0, before the first */
  readonly after?: number;
  /** Id of a message: ends when it is answered. @default it goes on */
  readonly until?: string;
  /** Ends it quietly. */
  readonly signal?: AbortSignal;
}

/** When it connects again, and when it gives a connection up. */
export interface Reconnection {
  /** Before the second connection; it doubles with each that fails. @default what the server says, else 1 000 */
  readonly firstWaitMs?: number;
  /** @default 30 000 */
  readonly longestWaitMs?: number;
  /** A connection on which nothing comes for so long, no comment either, is given up. @default 45 000 */
  readonly silenceMs?: number;
  /** Told when a connection is there, and when it is lost and another one will be tried. @default nobody */
  readonly onChange?: (state: 'connected' | 'lost') => void;
}

/** Where the events of all sessions are followed from. */
export interface FollowAllOptions {
  /** The id behind which it begins, as the server gave it. @default what comes from now on */
  readonly after?: string;
  /** Ends it quietly. */
  readonly signal?: AbortSignal;
}

interface Followed {
  readonly http: Http;
  readonly path: string;
  readonly place: FollowPlace;
  readonly signal: AbortSignal | undefined;
  readonly reconnection: Reconnection;
}

/** Statuses that another try does not change. */
const finalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 406, 410, 422]);

/**
 * Events, each once and in order, whatever happens to the connection: a new one goes on behind the last event that was
 * seen. Ends when the signal is aborted, the session is deleted, or the message is answered.
 *
 * @throws {ProblemError} where the server refuses for good: no such session, or no right to it.
 */
export async function* followEvents<Event extends { readonly type: string }>(
  followed: Followed,
): AsyncGenerator<Event, void, undefined> {
  const { place, signal, reconnection } = followed;
  const connection: Connection = { isOver: false, retryMs: undefined };
  const isAborted = (): boolean => signal?.aborted === true;
  for (let failures = 0; !isAborted(); failures += 1) {
    const { mark } = place;
    try {
      yield* connect<Event>(followed, connection);
    } catch (error) {
      if (isAborted()) return;
      if (error instanceof ProblemError && isFinal(error)) throw error;
    }
    if (connection.isOver || isAborted()) return;
    reconnection.onChange?.('lost');
    if (place.mark !== mark) failures = 0;
    const { firstWaitMs = connection.retryMs ?? 1_000, longestWaitMs = 30_000 } = reconnection;
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 20));
    // Not all at the same time, after a server that all have lost.
    await pause(waitMs * (0.5 + Math.random() / 2), signal);
  }
}

/** Waits, or less where the signal is aborted meanwhile. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
  });
}

/** A success is thrown where it is no stream of events: it will be none the next time. */
function isFinal({ problem: { status } }: ProblemError): boolean {
  return status < 300 || finalStatuses.has(status);
}

/** Why a stream is closed after which nothing more comes. */
export function isEnd(reason: string | undefined): boolean {
  return reason === 'session-deleted' || reason === 'answered';
}

/** What one connection leaves to the next. */
interface Connection {
  isOver: boolean;
  retryMs: number | undefined;
}

async function* connect<Event extends { readonly type: string }>(
  { http, path, place, signal, reconnection: { silenceMs = 45_000, onChange } }: Followed,
  connection: Connection,
): AsyncGenerator<Event, void, undefined> {
  const silence = watchSilence(silenceMs, signal);
  const { lastEventId, query } = place.ask();
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const decoder = new SseDecoder();
  try {
    const request = { method: 'GET', path, headers, query, signal: silence.signal } as const;
    const body = await eventBodyOf(await http.send(request));
    onChange?.('connected');
    for await (const { type, data, lastEventId: id } of sseEventsOf(body, decoder, silence.heard)) {
      connection.retryMs = decoder.retryMs ?? connection.retryMs;
      const told = JSON.parse(data) as Event & { readonly seq?: number; readonly reason?: string };
      if (type === 'stream:closed') {
        connection.isOver = isEnd(told.reason);
        return;
      }
      if (!place.take(told)) continue;
      place.seen(id);
      yield told;
    }
  } finally {
    // Those who were told of nothing have a place, too. What was not handed on was not seen.
    if (decoder.isEmpty) place.seen(decoder.lastEventId);
    silence.stop();
  }
}

interface SilenceWatch {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly stop: () => void;
}

/** A signal that is aborted when nothing is heard for so long, or when the other one is. */
function watchSilence(silenceMs: number, signal: AbortSignal | undefined): SilenceWatch {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, silenceMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  return {
    signal: controller.signal,
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(abort, silenceMs);
    },
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}
