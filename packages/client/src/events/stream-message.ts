import { eventBodyOf } from '../http/http.ts';
import { isEnd } from './follow-events.ts';
import { sseEventsOf } from './sse-decoder.ts';
import type { AgentEvent, SendMessageRequest } from '@throughline/protocol/types';
import type { FollowOptions } from './follow-events.ts';
import type { Http } from '../http/http.ts';

interface StreamOptions {
  readonly http: Http;
  readonly request: SendMessageRequest;
  readonly signal: AbortSignal | undefined;
  /** The events of a session, for the case that the answer is cut. */
  readonly follow: (sessionId: string, options: FollowOptions) => AsyncIterable<AgentEvent>;
}

/**
 * Sends a message; what happens until it is answered, which the server says. Where the connection is lost in the middle,
 * the events of the session go on from there.
 */
export async function* streamMessage(options: StreamOptions): AsyncGenerator<AgentEvent, void, undefined> {
  const { http, request, signal, follow } = options;
  const until = request.messageId ?? newMessageId();
  const response = await http.send({
    method: 'POST',
    path: '/api/message',
    headers: { accept: 'text/event-stream' },
    body: { ...request, messageId: until },
    signal,
  });
  const sessionId = request.sessionId ?? response.headers.get('x-session-id');
  const body = await eventBodyOf(response);
  let after: number | undefined;
  try {
    for await (const { type, data } of sseEventsOf(body)) {
      const told = JSON.parse(data) as AgentEvent & { readonly reason?: string };
      if (type === 'stream:closed') {
        if (isEnd(told.reason)) return;
        break;
      }
      after = told.seq;
      yield told;
    }
  } catch (error) {
    if (signal?.aborted === true || sessionId === null || after === undefined) throw error;
  }
  if (sessionId === null || after === undefined) throw new Error('The answer ended before it began.');
  yield* follow(sessionId, { after, until, ...(signal ? { signal } : {}) });
}

/** Random, also where a page may not call `randomUUID` because its address is plain HTTP. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `message_${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
