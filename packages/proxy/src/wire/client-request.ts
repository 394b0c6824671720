import { splitJsonArray } from '@throughline/core/internal';
import { KnownBodies } from './known-bodies.ts';
import type { Dialect } from './dialect.ts';
import type { KnownBody } from './known-bodies.ts';
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
  /** Where the messages stand in the text, where that is known already. */
  readonly spans?: KnownBody['spans'];
  /** The last of its tools is ours: calls of it are answered here, and the client does not see them. */
  readonly offersRecall?: true;
}

/** Bodies that were read before, and the place whose bodies this one may go on from. */
interface ReadBefore {
  readonly bodies: KnownBodies;
  readonly place: string;
}

/** `undefined` where the body is not one whose context could be managed: then its bytes go through as they are. */
export function readClientRequest(
  dialect: Dialect,
  text: string,
  { bodies, place }: ReadBefore = { bodies: new KnownBodies(), place: '' },
): ClientRequest | undefined {
  const read = bodies.read(`${place} ${dialect.name}`, dialect.messagesKey, text);
  if (!read || read.messages.length === 0) return undefined;
  const { body, messages, spans } = read;
  const { model, stream } = body;
  if (typeof model !== 'string') return undefined;
  return { dialect, text, body, messages, model, isStreamed: stream === true, ...(spans && { spans }) };
}

/** Where each message stands in the text. */
export function messageSpans({ text, dialect, spans }: ClientRequest): NonNullable<KnownBody['spans']> {
  return spans ?? splitJsonArray(text, [dialect.messagesKey])?.items ?? [];
}
