import { applyEdits, memberEdits } from './edit-members.ts';
import { messageSpans } from './client-request.ts';
import type { Piece } from './edit-members.ts';
import type { RenderedMessage } from '@throughline/core/types';
import type { ClientRequest } from './client-request.ts';

/** What of a body is to be another. */
export interface BodyEdits {
  /** All messages to send, in order. */
  readonly messages?: readonly RenderedMessage<unknown>[];
  /** Members of the body that get another value; one that is not there is added. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * The body with these edits. Everything else is the client's own text, character for character: white space, the order
 * of members, numbers that no double can hold. A message that was not edited is the client's slice.
 */
export function editBody(request: ClientRequest, { messages, members = {} }: BodyEdits): string {
  const { pieces, added } = memberEdits(request.text, members);
  const edited = messages ? [...pieces, messagesPiece(request, messages)] : pieces;
  return applyEdits(request.text, { pieces: edited, added });
}

function messagesPiece(request: ClientRequest, messages: readonly RenderedMessage<unknown>[]): Piece {
  const { text, dialect } = request;
  const items = messageSpans(request);
  const first = items[0];
  const last = items.at(-1);
  if (!first || !last) throw new TypeError(`the body has no list of ${dialect.messagesKey}`);
  const written = messages.map((one) => {
    const span = one.isEdited || one.ordinal === undefined ? undefined : items[one.ordinal];
    return span ? text.slice(span.start, span.end) : JSON.stringify(one.message);
  });
  return { start: first.start, end: last.end, text: written.join(',') };
}
