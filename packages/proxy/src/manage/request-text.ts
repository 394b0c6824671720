import { applyEdits, memberEdits } from '../wire/edit-members.ts';
import { leastLimitOf, limitMembers, loweredMaxTokens, withDoubt } from './answer-limit.ts';
import { messageSpans } from '../wire/client-request.ts';
import type { Managed } from './managed.ts';
import type { TextReplacement } from '../wire/edit-members.ts';
import type { RenderedMessage } from '@throughline/core/types';
import type { ClientRequest } from '../wire/client-request.ts';

/** What of a request is to be another. */
interface RequestEdits {
  /** All messages to send, in order. @default the client's */
  readonly messages?: readonly RenderedMessage<unknown>[];
  /** Usage is asked for in the stream, because the client has not. */
  readonly asksUsage: boolean;
  /** The limit of the answer. @default the client's */
  readonly maxTokens?: number | undefined;
}

/**
 * The body with these edits. Everything else is the client's own text, character for character: white space, the order
 * of members, numbers that no double can hold. A message that was not edited is the client's slice.
 */
export function requestText(
  request: ClientRequest,
  { messages, asksUsage, maxTokens }: RequestEdits,
): string {
  const { dialect, body, text } = request;
  const members = {
    ...(asksUsage && dialect.askingForUsage(body)),
    ...(maxTokens !== undefined && limitMembers(request, maxTokens)),
  };
  const { pieces, added } = memberEdits(text, members);
  const edited = messages ? [...pieces, messagesPiece(request, messages)] : pieces;
  return applyEdits(text, { pieces: edited, added });
}

/** What an upstream said of a request whose prompt and answer do not fit together. */
export interface CountedPrompt {
  readonly promptTokens: number;
  readonly windowTokens: number;
  /** Some servers stop counting where the prompt stops fitting. */
  readonly isAtLeast: boolean;
}

/**
 * The same request with a smaller answer, where the upstream has counted its prompt and said that both do not fit
 * together; `undefined` where that would not do.
 */
export function withSmallerAnswer(
  request: ClientRequest,
  managed: Managed,
  { promptTokens, windowTokens, isAtLeast }: CountedPrompt,
): Managed | undefined {
  const estimated = withDoubt(managed.step.report.tokens.final);
  const tokens = isAtLeast ? Math.max(promptTokens, estimated) : promptTokens;
  // Where nobody knows how large the prompt is, an answer that was lowered in vain is halved.
  const half = isAtLeast ? Math.floor((managed.maxTokens ?? Infinity) / 2) : Infinity;
  const roomTokens = Math.min(windowTokens - tokens, half);
  if (roomTokens < leastLimitOf(request)) return undefined;
  const maxTokens = loweredMaxTokens(request, windowTokens - roomTokens, windowTokens);
  if (!maxTokens || maxTokens.tokens >= (managed.maxTokens ?? Infinity)) return undefined;
  const isEdited = managed.snapshot.state.changes.length > 0;
  const text = requestText(request, {
    ...(isEdited && { messages: managed.messages }),
    asksUsage: managed.asksUsage,
    maxTokens: maxTokens.tokens,
  });
  return { ...managed, text, maxTokens: maxTokens.tokens };
}

function messagesPiece(
  request: ClientRequest,
  messages: readonly RenderedMessage<unknown>[],
): TextReplacement {
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
