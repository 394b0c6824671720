import { entryText, splitJsonArray } from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import { KnownBodies } from './known-bodies.ts';
import type { Dialect } from './dialect.ts';
import type { KnownBody } from './known-bodies.ts';
import type { WireObject } from '@throughline/core/internal';

/** A request for an answer, as the client has sent it. */
export interface ClientRequest {
  readonly dialect: Dialect;
  /** The body as text: what is not edited is cut out of it, and never written anew. */
  readonly text: string;
  readonly body: WireObject;
  /**
   * System and developer messages at the beginning. They are instructions, as `system` is in other APIs, and no part of
   * the conversation: many clients write the time of day there. They go out as they came.
   */
  readonly instructions: readonly unknown[];
  /** All that come after those. */
  readonly messages: readonly unknown[];
  readonly model: string;
  readonly isStreamed: boolean;
  /** Where all messages stand in the text, where that is known already. */
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
  const { body, spans } = read;
  const { model, stream } = body;
  if (typeof model !== 'string') return undefined;
  // Where there is nothing else, they are what is asked.
  const first = Math.max(
    0,
    read.messages.findIndex((message) => !isInstruction(message)),
  );
  return {
    dialect,
    text,
    body,
    instructions: read.messages.slice(0, first),
    messages: read.messages.slice(first),
    model,
    isStreamed: stream === true,
    ...(spans && { spans }),
  };
}

const instructing: ReadonlySet<unknown> = new Set(['system', 'developer']);

function isInstruction(message: unknown): boolean {
  return isObject(message) && instructing.has(message['role']);
}

/** Where each message of the conversation stands in the text. */
export function messageSpans({
  text,
  dialect,
  instructions,
  spans,
}: ClientRequest): NonNullable<KnownBody['spans']> {
  const all = spans ?? splitJsonArray(text, [dialect.messagesKey])?.items ?? [];
  return all.slice(instructions.length);
}

/** What of a request lies outside its conversation. */
export function outsideOf({
  dialect,
  body,
  instructions,
}: Pick<ClientRequest, 'dialect' | 'body' | 'instructions'>): ReturnType<Dialect['outside']> {
  const outside = dialect.outside(body);
  if (instructions.length === 0) return outside;
  const texts = instructions.map((message, index) => entryText(dialect.codec.decode(message, index)));
  return { ...outside, system: [outside.system ?? '', ...texts].filter((text) => text !== '').join('\n') };
}
