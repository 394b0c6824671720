import { checkMessages, checkTranscript } from './check-input.ts';
import { appendFrom, rewind } from './transcript.ts';
import { endOf, isUnloaded } from '../transcript/unloaded-range.ts';
import { likenessTo, sameMessage } from './same-message.ts';
import { unloadedRangesWithin } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
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
 * Cache marks belong to a request and move from one to the next: they make no message another one, and they are sent
 * where the host has them now.
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
    unlessItThrows(() => sent.every((message, index) => sameMessage(incoming[index], message))) === true;
  const known = isCarriedForward ? { entries: length, incoming: sent.length } : kept;
  const last = conversation.entries.at(known.entries - 1);
  const remarked = isCarriedForward ? remarkedAtEnd(conversation, incoming, sent.length) : kept.remarked;
  const from = remarked && canBeReadAnew(conversation, remarked) ? remarked : known;
  return {
    transcript: appendFrom(rewind(transcript, from.entries), incoming, from.incoming),
    keptMessages: last ? endOf(last) : 0,
  };
}

/** A place in the history, and the same one in the messages handed in. */
interface Place {
  readonly entries: number;
  readonly incoming: number;
}

/** How far the history and the messages handed in are the same, counted in each. */
interface Common extends Place {
  /** The first message that has other marks now. From it on all messages are loaded. */
  readonly remarked?: Place | undefined;
}

function likenessAt(incoming: readonly unknown[], at: number, entry: Entry): ReturnType<typeof likenessTo> {
  return unlessItThrows(() => likenessTo(incoming[at], entry)) ?? 'other';
}

/** What cannot be read is like nothing: who reads the message anew names its place. */
function unlessItThrows<Value>(compare: () => Value): Value | undefined {
  try {
    return compare();
  } catch {
    return undefined;
  }
}

/** The same of messages that carry the last view forward: at its end stand those of the history, as they are. */
function remarkedAtEnd(
  { entries }: Conversation,
  incoming: readonly unknown[],
  end: number,
): Place | undefined {
  let remarked: Place | undefined;
  for (let back = 1; back <= Math.min(end, entries.length); back += 1) {
    const entry = entries.at(entries.length - back);
    const likeness = entry && !isUnloaded(entry) ? likenessAt(incoming, end - back, entry) : 'other';
    if (likeness === 'other') break;
    if (likeness === 'remarked') remarked = { entries: entries.length - back, incoming: end - back };
  }
  return remarked;
}

/** Messages inside a range that was not loaded whole are trusted as they are. */
function canBeReadAnew(conversation: Conversation, { entries }: Place): boolean {
  return unloadedRangesWithin(conversation, entries).length === conversation.unloadedRanges.length;
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
  let remarked: Place | undefined;
  let next = 0;
  for (let position = 0; position < entries.length && next <= incoming.length; position += 1) {
    const entry = entries.at(position);
    if (!entry) break;
    const isMissing = isUnloaded(entry);
    if (!isMissing && next === incoming.length) break;
    const likeness = isMissing ? 'same' : likenessAt(incoming, next, entry);
    if (likeness === 'other') break;
    if (likeness === 'remarked') remarked ??= { entries: position, incoming: next };
    if (isMissing) remarked = undefined;
    next += isMissing ? (isWhole ? endOf(entry) - entry.ordinal : 0) : 1;
    // What is missing counts as soon as something behind it is the same.
    if (!isMissing) same = { entries: position + 1, incoming: next, remarked };
  }
  return same;
}
