import { createCalls } from './calls/create-calls.ts';
import { createHttp, jsonOf, linesOf } from './http/http.ts';
import { followEvents } from './events/follow-events.ts';
import { allPlace, sessionPlace } from './events/follow-place.ts';
import { streamMessage } from './events/stream-message.ts';
import type {
  AgentEvent,
  ImportedSession,
  MissedEvents,
  SendMessageRequest,
  SessionEvent,
} from '@throughline/protocol/types';
import type { CallOptions, Calls, WaitAnswer } from './calls/calls.ts';
import type { ClientOptions } from './http/http.ts';
import type { FollowAllOptions, FollowOptions, Reconnection } from './events/follow-events.ts';

/** A server, as a program sees it. */
export interface Client extends Calls {
  /**
   * The events of a session behind a number, and then those to come: each once and in order, across lost connections
   * and restarts of the server. Ends when the signal is aborted or the session is deleted.
   *
   * @throws {ProblemError} where the server refuses for good: there is no such session, or the token is wrong
   */
  events(sessionId: string, options?: FollowOptions): AsyncIterable<AgentEvent>;
  /**
   * The events of all sessions of the caller, from now on: each once and in the order in which the server was told,
   * across lost connections. `stream:missed` says that some were missed, after a restart of the server or a long time:
   * look at the sessions again. Ends when the signal is aborted.
   */
  events(options?: FollowAllOptions): AsyncIterable<SessionEvent | MissedEvents>;
  /**
   * Sends a message; the events from then on until it is answered. Where a run is busy they are those of that run, too.
   * A signal that is aborted ends the reading with an error; the run goes on: see `cancelRun`.
   */
  streamMessage(request: SendMessageRequest, options?: CallOptions): AsyncIterable<AgentEvent>;
  /** Sends a message and waits for the whole reply; one that has to wait in the queue is answered at once, as `sendMessage` does. */
  wait(request: SendMessageRequest, options?: CallOptions): Promise<WaitAnswer>;
  /** Bytes that a message of the session refers to. */
  getBlob(
    request: { readonly id: string; readonly hash: string },
    options?: CallOptions,
  ): Promise<Uint8Array>;
  /** The whole session as JSON lines, without line ends. */
  exportSession(request: { readonly id: string }, options?: CallOptions): AsyncIterable<string>;
  /** Makes a session of the lines of an export, or of the file of another tool: all of it, or nothing. */
  importSession(lines: string | Iterable<string>, options?: CallOptions): Promise<ImportedSession>;
}

/** Which server, and how a lost connection to it is made again. */
export interface CreateClientOptions extends ClientOptions {
  /** How `events` goes on after a connection that broke. */
  readonly reconnection?: Reconnection;
}

/** A client of one server. It holds no connection open but for the events that are read. */
export function createClient(options: CreateClientOptions): Client {
  const http = createHttp(options);
  const { reconnection = {} } = options;
  const sessionPath = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;
  const shared = { http, reconnection };
  const sessionEvents = (id: string, options: FollowOptions = {}): AsyncIterable<AgentEvent> => {
    const path = `${sessionPath(id)}/events`;
    return followEvents({ ...shared, path, place: sessionPlace(options), signal: options.signal });
  };
  const allEvents = (options: FollowAllOptions = {}): AsyncIterable<SessionEvent | MissedEvents> =>
    followEvents({ ...shared, path: '/api/events', place: allPlace(options), signal: options.signal });
  const events = ((from?: string | FollowAllOptions, options?: FollowOptions) =>
    typeof from === 'string' ? sessionEvents(from, options) : allEvents(from)) as Client['events'];
  return {
    ...createCalls(http),
    events,
    streamMessage: (request, { signal } = {}) =>
      streamMessage({ http, request, signal, follow: sessionEvents }),
    async wait(request, { signal } = {}) {
      const query = { wait: true };
      const response = await http.send({
        method: 'POST',
        path: '/api/message',
        query,
        body: request,
        signal,
      });
      return (await jsonOf(response)) as WaitAnswer;
    },
    async getBlob({ id, hash }, { signal } = {}) {
      const path = `${sessionPath(id)}/blobs/${encodeURIComponent(hash)}`;
      const response = await http.send({ method: 'GET', path, signal });
      return new Uint8Array(await response.arrayBuffer());
    },
    async *exportSession({ id }, { signal } = {}) {
      const { body } = await http.send({ method: 'GET', path: `${sessionPath(id)}/export`, signal });
      if (body) yield* linesOf(body);
    },
    async importSession(lines, { signal } = {}) {
      const text = typeof lines === 'string' ? lines : [...lines].map((line) => `${line}\n`).join('');
      const headers = { 'content-type': 'application/x-ndjson' };
      const body = new TextEncoder().encode(text);
      const response = await http.send({
        method: 'POST',
        path: '/api/sessions/import',
        headers,
        body,
        signal,
      });
      return (await jsonOf(response)) as ImportedSession;
    },
  };
}
