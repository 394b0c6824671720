import { isObject } from '@throughline/core/codec';
import { parsed } from './json-value.ts';
import type { Dialect } from './dialect.ts';
import type { JsonObject } from './json-value.ts';

/** A request for an answer, as the client has sent it. */
export interface ClientRequest {
  readonly dialect: Dialect;
  /** The body as text: what is not edited is cut out of it, and never written anew. */
  readonly text: string;
  readonly body: JsonObject;
  readonly messages: readonly unknown[];
  readonly model: string;
  readonly isStreamed: boolean;
}

/** `undefined` where the body is not one whose context could be managed: then its bytes go through as they are. */
export function readClientRequest(dialect: Dialect, text: string): ClientRequest | undefined {
  const body = parsed(text);
  if (!isObject(body)) return undefined;
  const { model, stream } = body;
  const messages: unknown = body[dialect.messagesKey];
  if (!Array.isArray(messages) || messages.length === 0 || typeof model !== 'string') return undefined;
  return { dialect, text, body, messages, model, isStreamed: stream === true };
}
