import { checkMessages, checkTranscript } from './check-input.ts';
import { appendFrom, rewind } from './transcript.ts';
import { endOf, isUnloaded } from '../transcript/unloaded-entry.ts';
import { isSameEntry, sameMessage } from './same-message.ts';
import { unloadedRangesWithin } from '../transcript/unloaded-ranges-within.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Transcript } from './transcript.ts';

export interface Reconciled<Message> {
  readonly transcript: Transcript<Message>;
  /** Messages of the history that the host still has; fewer than before when it rewound or edited. */
  readonly keptMessages: number;
}

/**
 * Follows a host that hands in all its messages at every step. Messages are compared by reference first, by content
 * second. Three cases, told apart by prefix and never by version: the history has grown; the host carries our last
 * view forward and has appended to that; the host rewound or edited.
 *
 * Of a history that was not loaded whole, the host may hand in the whole one or the messages that were loaded: what is
 * missing cannot be compared. Where it rewound into a range that was trusted, its messages are taken from the whole one;
 * without them the next view is `not-loaded`.
 *
 * @param sent the messages of the last view, as they were handed to the host.
 */
export function reconcile<Message>(
  transcript: Transcript<Message>,
  incoming: readonly Message[],
  sent?: readonly Message[],
): Reconciled<Message> {
  checkTranscript(transcript);
  checkMessages(incoming);
  const { conversation } = transcript;
  const { length } = conversation.entries;
  const kept = commonBeginning(conversation, incoming);
  const isCarriedForward =
    kept.entries < length &&
    sent !== undefined &&
    sent.length > 0 &&
    sent.length <= incoming.length &&
    sent.every((message, index) => sameMessage(incoming[index], message));
  const known = isCarriedForward ? { entries: length, incoming: sent.length } : kept;
  const last = conversation.entries.at(known.entries - 1);
  return {
    transcript: appendFrom(rewind(transcript, known.entries), incoming, known.incoming),
    keptMessages: last ? endOf(last) : 0,
  };
}

/** How far the history and the messages handed in are the same, counted in each. */
interface Common {
  readonly entries: number;
  readonly incoming: number;
}

function commonBeginning(conversation: Conversation, incoming: readonly unknown[]): Common {
  const whole = beforeUntrusted(conversation, common(conversation, incoming, true));
  if (conversation.unloadedRanges.length === 0) return whole;
  const loaded = common(conversation, incoming, false);
  return loaded.entries > whole.entries ? loaded : whole;
}

/** Of a range that cannot be trusted any more, all messages are to be taken from the whole history. */
function beforeUntrusted(conversation: Conversation, same: Common): Common {
  const { entries, unloadedRanges } = conversation;
  const trusted = new Set(unloadedRangesWithin(conversation, same.entries));
  const lost = unloadedRanges.find((range) => !trusted.has(range));
  if (!lost) return same;
  for (let position = 0; position < same.entries; position += 1) {
    const entry = entries.at(position);
    if (entry && isUnloaded(entry) && entry.ordinal >= lost.first)
      return { entries: position, incoming: entry.ordinal };
  }
  return same;
}

/** @param isWhole the messages handed in are the whole history: those that were not loaded are among them. */
function common({ entries }: Conversation, incoming: readonly unknown[], isWhole: boolean): Common {
  let same: Common = { entries: 0, incoming: 0 };
  let next = 0;
  for (let position = 0; position < entries.length && next <= incoming.length; position += 1) {
    const entry = entries.at(position);
    if (!entry) break;
    const isMissing = isUnloaded(entry);
    if (!isMissing && (next === incoming.length || !isSameEntry(incoming[next], entry))) break;
    next += isMissing ? (isWhole ? endOf(entry) - entry.ordinal : 0) : 1;
    // What is missing counts as soon as something behind it is the same.
    if (!isMissing) same = { entries: position + 1, incoming: next };
  }
  return same;
}
