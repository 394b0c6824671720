import type { ApprovalRequest, HistoryMessage } from '@throughline/client';
import type { ConversationState, LiveAnswer, LivePart } from './state.ts';

/**
 * Messages with a newer page of the history put in. Both are runs without gaps; where the page does not reach the
 * messages that are known, those are given up: `isJoined` says so, and older ones can be loaded again.
 */
export function withPage(
  known: readonly HistoryMessage[],
  page: readonly HistoryMessage[],
): { readonly messages: readonly HistoryMessage[]; readonly isJoined: boolean } {
  const first = page[0];
  const last = known.at(-1);
  if (!first || !last) return { messages: page.length > 0 ? page : known, isJoined: known.length > 0 };
  if (first.ordinal > last.ordinal + 1) return { messages: page, isJoined: false };
  const before = known.filter(({ ordinal }) => ordinal < first.ordinal);
  return { messages: [...before, ...page.map((message) => sameOr(known, message))], isJoined: true };
}

/** The object that was shown before, where it says the same, so that nothing is drawn anew. */
function sameOr(known: readonly HistoryMessage[], message: HistoryMessage): HistoryMessage {
  const before = known[message.ordinal - (known[0]?.ordinal ?? 0)];
  return before && JSON.stringify(before) === JSON.stringify(message) ? before : message;
}

type Shown = Pick<ConversationState, 'messages' | 'answer'>;

/** The messages to show: what is being written stands in its message, or behind the last. */
export function shownMessages({ messages, answer }: Shown): readonly HistoryMessage[] {
  const written = writtenMessage({ messages, answer });
  if (!written) return messages;
  const at = messages.findLastIndex(({ id }) => id === written.id);
  return at < 0 ? [...messages, written] : messages.with(at, written);
}

/** The message that is being written, as far as it is; `undefined` where nothing is that the history does not have. */
export function writtenMessage({ messages, answer }: Shown): HistoryMessage | undefined {
  if (!answer) return undefined;
  const stored = messages.findLast(({ id }) => id === answer.messageId);
  if (!stored) return liveMessage(answer, (messages.at(-1)?.ordinal ?? -1) + 1);
  return stored.isOpen ? overlaid(stored, answer) : undefined;
}

function liveMessage(answer: LiveAnswer, ordinal: number): HistoryMessage {
  const parts = Object.values(answer.parts).map(partOf);
  return {
    ordinal,
    id: answer.messageId,
    role: 'assistant',
    parts,
    marks: parts.map(() => ({})),
    isOpen: true,
    createdAtMs: 0,
  };
}

function overlaid(stored: HistoryMessage, answer: LiveAnswer): HistoryMessage {
  const parts = [...stored.parts];
  for (const [place, part] of Object.entries(answer.parts)) {
    const at = Number(place);
    const there = parts[at];
    if (at <= parts.length && (!there || there.type === part.type)) parts[at] = partOf(part);
  }
  return { ...stored, parts, marks: parts.map((_, at) => stored.marks[at] ?? {}) };
}

function partOf({ type, text }: LivePart): { readonly type: 'text' | 'reasoning'; readonly text: string } {
  return { type, text };
}

/** Questions in the order of their calls: one that needs no look at a file is asked first, wherever its call stands. */
export function inCallOrder(
  approvals: readonly ApprovalRequest[],
  messages: readonly HistoryMessage[],
): readonly ApprovalRequest[] {
  if (approvals.length < 2) return approvals;
  const callIds = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'call' ? [part.callId] : [])),
  );
  const placeOf = ({ callId }: ApprovalRequest): number => callIds.lastIndexOf(callId);
  return approvals.toSorted((a, b) => placeOf(a) - placeOf(b));
}
