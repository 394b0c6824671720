import { setImmediate as giveWay } from 'node:timers/promises';
import { appendMessages, openLoadedTranscript } from '@throughline/core';
import { isRangeChange } from '@throughline/core/internal';
import type { Transcript } from '@throughline/core';
import type { LoadedHistory, LoadedMessage, TranscriptOptions } from '@throughline/core/types';

/** Others get their turn behind so many. */
const messagesPerTurn = 1_000;

/** Makes what is opened of what is stored. While a long history is read others get their turn. */
export async function loadAll<Message>(
  messages: readonly LoadedMessage<Message>[],
  load: (message: Message) => Promise<Message>,
): Promise<readonly LoadedMessage<Message>[]> {
  const loaded: LoadedMessage<Message>[] = [];
  for (let from = 0; from < messages.length; from += messagesPerTurn) {
    if (from > 0) await giveWay();
    const turn = messages.slice(from, from + messagesPerTurn);
    const read = turn.map(async ({ ordinal, message }) => ({ ordinal, message: await load(message) }));
    for (const one of await Promise.all(read)) loaded.push(one);
  }
  return loaded;
}

/**
 * The transcript that `openLoadedTranscript` makes of the same history. While a long one is opened others get their turn.
 *
 * @throws {ContextError} as `openLoadedTranscript` does
 */
export async function openHistory<Message>(
  options: TranscriptOptions<Message>,
  history: LoadedHistory<Message>,
): Promise<Transcript<Message>> {
  const { messages, historyLength, changes } = history;
  const first = firstToAppend(history) + messagesPerTurn;
  const begun = messages.slice(0, first);
  const end = messages[first]?.ordinal ?? historyLength;
  let transcript = openLoadedTranscript(options, { messages: begun, historyLength: end, changes });
  for (let from = first; from < messages.length; from += messagesPerTurn) {
    await giveWay();
    const turn = messages.slice(from, from + messagesPerTurn);
    transcript = appendMessages(
      transcript,
      turn.map(({ message }) => message),
    );
  }
  return transcript;
}

/** Behind all that a range may hide, from where on no message is missing: an index in the list. */
function firstToAppend({ messages, historyLength, changes }: LoadedHistory<unknown>): number {
  const hiddenEnd = Math.max(0, ...changes.filter(isRangeChange).map(({ anchor }) => anchor.end));
  let at = messages.length;
  const isNext = (index: number): boolean =>
    messages[index]?.ordinal === historyLength - messages.length + index &&
    (messages[index]?.ordinal ?? 0) >= hiddenEnd;
  while (at > 0 && isNext(at - 1)) at -= 1;
  return at;
}
