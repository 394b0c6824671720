import { appendMessages, rewind } from './transcript.ts';
import { sameMessage } from './same-message.ts';
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
 * @param sent the messages of the last view, as they were handed to the host.
 */
export function reconcile<Message>(
  transcript: Transcript<Message>,
  incoming: readonly Message[],
  sent?: readonly Message[],
): Reconciled<Message> {
  const { entries } = transcript.conversation;
  const kept = commonPrefix(incoming, entries.length, (index) => entries.at(index)?.wire);
  const isCarriedForward =
    kept < entries.length &&
    sent !== undefined &&
    sent.length > 0 &&
    sent.length <= incoming.length &&
    commonPrefix(incoming, sent.length, (index) => sent[index]) === sent.length;
  if (isCarriedForward) {
    return {
      transcript: appendMessages(transcript, incoming.slice(sent.length)),
      keptMessages: entries.length,
    };
  }
  return { transcript: appendMessages(rewind(transcript, kept), incoming.slice(kept)), keptMessages: kept };
}

function commonPrefix(
  incoming: readonly unknown[],
  length: number,
  known: (index: number) => unknown,
): number {
  const end = Math.min(incoming.length, length);
  let index = 0;
  while (index < end && sameMessage(incoming[index], known(index))) index += 1;
  return index;
}
