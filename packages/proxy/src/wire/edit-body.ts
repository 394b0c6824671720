import { jsonMemberSpan, splitJsonArray } from '@throughline/core/internal';
import type { RenderedMessage } from '@throughline/core/types';
import type { ClientRequest } from './client-request.ts';

/** What of a body is to be another. */
export interface BodyEdits {
  /** All messages to send, in order. */
  readonly messages?: readonly RenderedMessage<unknown>[];
  /** Members of the body that get another value; one that is not there is added. */
  readonly members?: Readonly<Record<string, unknown>>;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The body with these edits. Everything else is the client's own text, character for character: white space, the order
 * of members, numbers that no double can hold. A message that was not edited is the client's slice.
 */
export function editBody({ text, dialect }: ClientRequest, { messages, members = {} }: BodyEdits): string {
  const pieces: Piece[] = [];
  if (messages) {
    const { items } = splitJsonArray(text, [dialect.messagesKey]) ?? { items: [] };
    const first = items[0];
    const last = items.at(-1);
    if (!first || !last) throw new TypeError(`the body has no list of ${dialect.messagesKey}`);
    const written = messages.map((one) => {
      const span = one.isEdited || one.ordinal === undefined ? undefined : items[one.ordinal];
      return span ? text.slice(span.start, span.end) : JSON.stringify(one.message);
    });
    pieces.push({ start: first.start, end: last.end, text: written.join(',') });
  }
  const added: string[] = [];
  for (const [key, value] of Object.entries(members)) {
    const span = jsonMemberSpan(text, key);
    if (span) pieces.push({ ...span, text: JSON.stringify(value) });
    else added.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  const edited = splice(text, pieces);
  if (added.length === 0) return edited;
  const open = edited.indexOf('{') + 1;
  // The body has messages: something follows.
  return `${edited.slice(0, open)}${added.join(',')},${edited.slice(open)}`;
}

function splice(text: string, pieces: readonly Piece[]): string {
  let edited = '';
  let at = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    edited += text.slice(at, piece.start) + piece.text;
    at = piece.end;
  }
  return edited + text.slice(at);
}
