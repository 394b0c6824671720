import { isChange, isRangeChange } from '../changes/change.ts';
import { isObject } from '../json/json.ts';
import { checkOptions, numberFrom, required } from '../errors/check-options.ts';
import { ContextError } from '../errors/context-error.ts';
import { MessageReader, atMessage, openTranscript } from './transcript.ts';
import { appendEntries, positionOf } from '../transcript/conversation.ts';
import { isUnloaded, unloadedEntry } from '../transcript/entry.ts';
import type { Change, RangeChange } from '../changes/change.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { Transcript, TranscriptOptions } from './transcript.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';

/** A message and its place in the full history. */
export interface LoadedMessage<Message> {
  readonly ordinal: number;
  readonly message: Message;
}

/** What a store gives of a session for the next step: all that the view of these changes shows, and how much there is. */
export interface LoadedHistory<Message> {
  /** Increasing ordinals; some are missing where a range stands. */
  readonly messages: readonly LoadedMessage<Message>[];
  /** Length of the full history. */
  readonly historyLength: number;
  /** Those the messages were loaded for: the ones in force, or those of a former state that is to be undone to. */
  readonly changes: readonly Change[];
}

/**
 * Opens a history of which only what its view shows was loaded. Steps on it are those on the full history: the same view,
 * the same changes. A range whose messages are missing is trusted, as it was checked when it was made; a compaction over it
 * goes on from its fingerprint, so that the full history, where it is at hand, can still be compared to the last
 * character. Costs what is loaded, whatever the length of the history.
 *
 * What is compacted later stays in memory, as everything that was appended. A host forgets it by loading and opening anew
 * after a step with a checkpoint: then memory holds what the view shows, and no more.
 *
 * To undo, load and open what the changes of `formerState` show, and hand that to `undo`. Whatever asks for a view of
 * messages that are missing gets `not-loaded`.
 *
 * @throws {ContextError} `not-loaded` when a message is missing that no range of `changes` hides; `invalid-option` when
 * the ordinals do not increase within the history.
 */
export function openLoadedTranscript<Message>(
  options: TranscriptOptions<Message>,
  history: LoadedHistory<Message>,
): Transcript<Message> {
  const transcript = openTranscript(options);
  checkOptions('', history, historyChecks);
  const { messages, historyLength, changes } = history;
  const ranges = changes.filter(isRangeChange).toSorted((a, b) => a.anchor.first - b.anchor.first);
  const entries: Entry[] = [];
  const reader = new MessageReader(options.codec, transcript.conversation);
  let next = 0;
  for (const { ordinal, message } of messages) {
    requireOrdinal(ordinal, next, historyLength);
    for (const unloaded of unloadedEntriesIn(ranges, next, ordinal)) entries.push(unloaded);
    entries.push(atMessage(options.codec.name, ordinal, () => reader.read(message, ordinal, ordinal)));
    next = ordinal + 1;
  }
  for (const unloaded of unloadedEntriesIn(ranges, next, historyLength)) entries.push(unloaded);
  const conversation = appendEntries(transcript.conversation, entries);
  return { ...transcript, conversation: withUnloadedRanges(conversation, ranges) };
}

const historyChecks: OptionChecks<LoadedHistory<unknown>> = {
  messages: required({
    expected: 'a list of messages, each with its ordinal',
    fits: (value) => Array.isArray(value) && value.every((one) => isObject(one) && 'ordinal' in one),
  }),
  historyLength: required(numberFrom(0)),
  changes: required({
    expected: 'changes of a state',
    fits: (value) => Array.isArray(value) && value.every(isChange),
  }),
};

function requireOrdinal(ordinal: number, least: number, historyLength: number): void {
  if (Number.isInteger(ordinal) && ordinal >= least && ordinal < historyLength) return;
  throw new ContextError('invalid-option', `Expected a message from ${least} on, got ${ordinal}.`, {
    option: 'messages',
    expected: `ordinals that increase, below ${historyLength}`,
    received: ordinal,
  });
}

/** Place holders for messages `[next, end)`, one for each range that hides some of them. */
function unloadedEntriesIn(ranges: readonly RangeChange[], next: number, end: number): Entry[] {
  const unloadedEntries: Entry[] = [];
  let from = next;
  while (from < end) {
    const hiding = rangeAt(ranges, from);
    if (!hiding) throw missing(from, end);
    const until = Math.min(end, hiding.anchor.end);
    unloadedEntries.push(unloadedEntry(from, until));
    from = until;
  }
  return unloadedEntries;
}

function rangeAt(ranges: readonly RangeChange[], ordinal: number): RangeChange | undefined {
  return ranges.find(({ anchor }) => anchor.first <= ordinal && ordinal < anchor.end);
}

function missing(first: number, end: number): ContextError<'not-loaded'> {
  const message = `Messages m${first} to m${end - 1} are missing, and no range of the changes hides them all.`;
  return new ContextError('not-loaded', message, { first, end });
}

function withUnloadedRanges(conversation: Conversation, ranges: readonly RangeChange[]): Conversation {
  const unloadedEntries = conversation.entries.slice().filter(isUnloaded);
  if (unloadedEntries.length === 0) return conversation;
  const covering = ranges.filter(({ anchor }) =>
    unloadedEntries.some(({ ordinal }) => anchor.first <= ordinal && ordinal < anchor.end),
  );
  return {
    ...conversation,
    unloadedRanges: covering.map(({ anchor }) => anchor),
    taskAt: taskIn(conversation, covering),
  };
}

/** Where the task is, also where a range hides it: no later request is taken for it. */
function taskIn(conversation: Conversation, covering: readonly RangeChange[]): number {
  const positions = covering.flatMap(({ summary: { task } }) => {
    const ordinal = Number(/^m(\d{1,15})$/.exec(task?.recallId ?? '')?.[1] ?? -1);
    return [positionOf(conversation, ordinal)];
  });
  const isMissing = (position: number): boolean => {
    const entry = conversation.entries.at(position);
    return entry !== undefined && isUnloaded(entry);
  };
  return positions.find(isMissing) ?? conversation.taskAt;
}
