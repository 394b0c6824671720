import type { ConversationState, FarMessages } from './state.ts';
import type { HistoryMessage, Page } from '@throughline/client';

/** So many messages of the page around a place stand behind it: that is where one reads on. */
const behindPlace = 140;

/** Where the page around a place ends: the number behind its last message, which is its cursor. */
export function endAround(place: number, { messages }: Pick<ConversationState, 'messages'>): number {
  return Math.min(place + behindPlace, firstOf(messages));
}

export function firstOf(messages: readonly HistoryMessage[]): number {
  return messages[0]?.ordinal ?? Infinity;
}

export function lastOf(messages: readonly HistoryMessage[]): number {
  return messages.at(-1)?.ordinal ?? -1;
}

/** The messages that are shown: those that the reader went to, else those up to the newest. */
function shownRun({ messages, far }: Pick<ConversationState, 'messages' | 'far'>) {
  return far?.messages ?? messages;
}

/** Whether a message is among those that are shown; what is newer than all stands at the end of the newest. */
export function isShown(place: number, state: Pick<ConversationState, 'messages' | 'far'>): boolean {
  const shown = shownRun(state);
  return place >= firstOf(shown) && (state.far === null || place <= lastOf(shown));
}

export function withOlder(far: FarMessages, { items, next }: Page<HistoryMessage>): FarMessages {
  const first = firstOf(far.messages);
  return { messages: [...items.filter(({ ordinal }) => ordinal < first), ...far.messages], next };
}

export function withNewer(far: FarMessages, { items }: Page<HistoryMessage>): FarMessages {
  const last = lastOf(far.messages);
  return { ...far, messages: [...far.messages, ...items.filter(({ ordinal }) => ordinal > last)] };
}

/** One run again, where what is far has come to what leads up to the newest; `undefined` while there is a gap. */
export function joinedRun(
  far: FarMessages,
  messages: readonly HistoryMessage[],
): readonly HistoryMessage[] | undefined {
  const first = firstOf(messages);
  if (lastOf(far.messages) + 1 < first) return undefined;
  return [...far.messages.filter(({ ordinal }) => ordinal < first), ...messages];
}
