import { joinExchange, startExchange } from './exchange.ts';
import { entryText } from './entry-text.ts';
import { isRequest } from './own-words.ts';
import { PersistentArray } from './persistent-array.ts';
import { endOf, isUnloaded } from './entry.ts';
import type { Exchange, ResponseShape } from './exchange.ts';
import type { Entry, UnloadedRange } from './entry.ts';

/** Estimated cost of one message: all of it, and each of its parts without the message overhead. */
export interface EntrySize {
  readonly tokens: number;
  readonly parts: readonly number[];
}

export type MeasureEntry = (entry: Entry) => EntrySize;

interface ConversationOptions {
  readonly measure: MeasureEntry;
  /** How the format spreads one response over messages. @default 'one' */
  readonly responseShape?: ResponseShape;
  /** What the error result costs that a call without a result gets before it is sent. @default 0 */
  readonly interruptedTokens?: number;
}

/**
 * The history: an immutable value of measured entries, grouped into exchanges. Appending returns a new value and costs only
 * what is appended; every entry is measured once. Where not all of it was loaded a place holder stands for each run of
 * messages that is missing (see `unloadedEntry`): ordinals count messages, positions count entries.
 */
export interface Conversation {
  readonly measure: MeasureEntry;
  readonly responseShape: ResponseShape;
  readonly interruptedTokens: number;
  readonly entries: PersistentArray<Entry>;
  readonly sizes: PersistentArray<EntrySize>;
  /** Tokens of all entries before each position; one longer than `entries`. */
  readonly tokensBefore: PersistentArray<number>;
  /**
   * What the system messages that reach the model cost: they stand in every request, whatever is compacted. Of equal ones
   * behind the first messages only the newest counts.
   */
  readonly systemMessageTokens: number;
  readonly systemTexts: SystemTexts;
  /** All exchanges but the last. */
  readonly exchanges: PersistentArray<Exchange>;
  readonly lastExchange: Exchange | undefined;
  /** Calls of the exchanges but the last that have no result in them. */
  readonly interruptedCalls: number;
  /** Position after the newest assistant message: what follows the model has not answered. 0 when there is none. */
  readonly answeredEnd: number;
  /** Position of the first and of the newest message that a user wrote (`isRequest`); -1 when there is none. */
  readonly taskAt: number;
  readonly latestAt: number;
  /** Position of the first message with reasoning in it, -1 when there is none. */
  readonly reasoningAt: number;
  /** Position of the newest compaction item of the provider, -1 when there is none: nothing before it reaches the model. */
  readonly barrierAt: number;
  /** The ranges whose messages were not all loaded, oldest first: every place holder lies in one. */
  readonly unloadedRanges: readonly UnloadedRange[];
}

/** Which system messages say the same. Clients send their instructions anew with every turn, or every change of a mode. */
interface SystemTexts {
  /** The newest positions of the texts that were said last. */
  readonly newest: ReadonlyMap<string, number>;
  /** Messages that were said again later, in the order of that. */
  readonly repeats: PersistentArray<RepeatedMessage>;
}

/** Positions of a system message and of the next one with the same text. */
interface RepeatedMessage {
  readonly older: number;
  readonly newer: number;
}

// So many texts are known at a time: a clock in a system message says another one with each step.
const mostTexts = 32;

type SystemMessages = Pick<Conversation, 'systemMessageTokens' | 'systemTexts'>;

const noSystemMessages: SystemMessages = {
  systemMessageTokens: 0,
  systemTexts: { newest: new Map(), repeats: PersistentArray.of<RepeatedMessage>([]) },
};

interface AppendedMessage {
  readonly position: number;
  readonly size: EntrySize;
  /** Nothing but system messages stands before it: what stands in front of everything is never touched. */
  readonly isFront: boolean;
}

function withSystemMessage(
  { systemMessageTokens: before, systemTexts }: SystemMessages,
  entry: Entry,
  { position, size, isFront }: AppendedMessage,
): SystemMessages {
  const texts = isFront ? systemTexts : withText(systemTexts, entry, position);
  // Equal ones cost the same.
  const isRepeated = texts.repeats !== systemTexts.repeats;
  return { systemMessageTokens: before + (isRepeated ? 0 : size.tokens), systemTexts: texts };
}

/** The texts with those of one more system message. */
function withText({ newest, repeats }: SystemTexts, entry: Entry, position: number): SystemTexts {
  const text = entryText(entry);
  if (text === '' || entry.parts.some(({ type }) => type !== 'text')) return { newest, repeats };
  const older = newest.get(text);
  const texts = new Map(newest);
  // The one that was said last stands last.
  texts.delete(text);
  texts.set(text, position);
  const oldest = texts.keys().next();
  if (texts.size > mostTexts && !oldest.done) texts.delete(oldest.value);
  return {
    newest: texts,
    repeats: older === undefined ? repeats : repeats.append([{ older, newer: position }]),
  };
}

const unknownSize: EntrySize = { tokens: 0, parts: [] };

export function createConversation({
  measure,
  responseShape = 'one',
  interruptedTokens = 0,
}: ConversationOptions): Conversation {
  return {
    measure,
    responseShape,
    interruptedTokens,
    entries: PersistentArray.of<Entry>([]),
    sizes: PersistentArray.of<EntrySize>([]),
    tokensBefore: PersistentArray.of([0]),
    ...noSystemMessages,
    exchanges: PersistentArray.of<Exchange>([]),
    lastExchange: undefined,
    interruptedCalls: 0,
    answeredEnd: 0,
    taskAt: -1,
    latestAt: -1,
    reasoningAt: -1,
    barrierAt: -1,
    unloadedRanges: [],
  };
}

/**
 * Adds messages at the end. Their ordinals go on where the conversation ends (`nextOrdinal`).
 *
 * @param known their sizes, where they have been measured before
 */
export function appendEntries(
  conversation: Conversation,
  entries: readonly Entry[],
  known: readonly EntrySize[] = [],
): Conversation {
  if (entries.length === 0) return conversation;
  const sizes: EntrySize[] = [];
  const tokensBefore: number[] = [];
  const exchanges: Exchange[] = [];
  let { lastExchange, interruptedCalls, answeredEnd, taskAt, latestAt, reasoningAt, barrierAt } =
    conversation;
  let system: SystemMessages = conversation;
  let total = conversation.tokensBefore.at(conversation.entries.length) ?? 0;
  const from = conversation.entries.length;
  let position = from;
  let isFront = isAllSystem(conversation);
  for (const entry of entries) {
    const size = known[position - from] ?? (isUnloaded(entry) ? unknownSize : conversation.measure(entry));
    sizes.push(size);
    total += size.tokens;
    tokensBefore.push(total);
    const joined = lastExchange && joinExchange(lastExchange, entry, position, conversation.responseShape);
    if (lastExchange && !joined) {
      exchanges.push(lastExchange);
      interruptedCalls += lastExchange.openCalls.length;
    }
    lastExchange = joined ?? startExchange(entry, position);
    isFront &&= lastExchange.type === 'system';
    if (lastExchange.type === 'system')
      system = withSystemMessage(system, entry, { position, size, isFront });
    if (lastExchange.type === 'barrier') {
      barrierAt = position;
      system = noSystemMessages;
    }
    if (entry.role === 'assistant') answeredEnd = position + 1;
    if (reasoningAt < 0 && hasReasoning(entry)) reasoningAt = position;
    if (isRequest(entry)) {
      latestAt = position;
      if (taskAt < 0) taskAt = position;
    }
    position += 1;
  }
  return {
    ...conversation,
    entries: conversation.entries.append(entries),
    sizes: conversation.sizes.append(sizes),
    tokensBefore: conversation.tokensBefore.append(tokensBefore),
    systemMessageTokens: system.systemMessageTokens,
    systemTexts: system.systemTexts,
    exchanges: conversation.exchanges.append(exchanges),
    lastExchange,
    interruptedCalls,
    answeredEnd,
    taskAt,
    latestAt,
    reasoningAt,
    barrierAt,
  };
}

function isAllSystem({ exchanges, lastExchange }: Conversation): boolean {
  if (lastExchange && lastExchange.type !== 'system') return false;
  for (const { type } of exchanges) if (type !== 'system') return false;
  return true;
}

function hasReasoning({ parts }: Entry): boolean {
  for (let index = 0; index < parts.length; index += 1) if (parts[index]?.type === 'reasoning') return true;
  return false;
}

export function exchangesOf({ exchanges, lastExchange }: Conversation): Exchange[] {
  return lastExchange ? [...exchanges, lastExchange] : [...exchanges];
}

/** The exchanges from the newest back, for whoever stops early. */
export function* newestExchanges({ exchanges, lastExchange }: Conversation): Generator<Exchange> {
  if (lastExchange) yield lastExchange;
  for (let index = exchanges.length - 1; index >= 0; index -= 1) yield exchanges.at(index) as Exchange;
}

/** The exchange that holds the entry at `position`. */
export function exchangeAt(conversation: Conversation, position: number): Exchange | undefined {
  const { exchanges, lastExchange } = conversation;
  if (lastExchange && position >= lastExchange.first)
    return position < lastExchange.end ? lastExchange : undefined;
  let low = 0;
  let high = exchanges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const exchange = exchanges.at(middle);
    if (!exchange) return undefined;
    if (position < exchange.first) high = middle - 1;
    else if (position >= exchange.end) low = middle + 1;
    else return exchange;
  }
  return undefined;
}

/** What the error results cost for the calls of one message that the messages after it have left without a result. */
export function interruptedTokensAt(conversation: Conversation, position: number): number {
  if (conversation.interruptedCalls === 0) return 0;
  const exchange = exchangeAt(conversation, position);
  if (!exchange || exchange === conversation.lastExchange) return 0;
  const calls = exchange.openCalls.filter(({ entry }) => entry === position);
  return calls.length * conversation.interruptedTokens;
}

/** The same for the last exchange, whose results may yet come: where they do not, it is sent with error results too. */
export function openTokens({ lastExchange, interruptedTokens }: Conversation): number {
  return (lastExchange?.openCalls.length ?? 0) * interruptedTokens;
}

/** Tokens of the system messages that the model has answered: the others are part of what is sent on top. */
export function answeredSystemMessageTokens(conversation: Conversation): number {
  const { entries, answeredEnd, barrierAt, systemTexts } = conversation;
  let tokens = conversation.systemMessageTokens;
  for (let position = Math.max(answeredEnd, barrierAt + 1); position < entries.length; position += 1) {
    if (entries.at(position)?.role === 'system') tokens -= tokensAt(conversation, position);
  }
  // Of those that are said again in what was not answered one counts all the same.
  const { repeats } = systemTexts;
  for (let index = repeats.length - 1; index >= 0; index -= 1) {
    const { older, newer } = repeats.at(index) ?? { older: 0, newer: -1 };
    if (newer < answeredEnd) break;
    tokens += tokensAt(conversation, older);
  }
  return tokens;
}

/** Positions of system messages that are said again, word for word, later: the next place where each is. */
export function repeatedSystemMessages({ systemTexts }: Conversation): ReadonlyMap<number, number> {
  return new Map(Array.from(systemTexts.repeats, ({ older, newer }) => [older, newer]));
}

/** Tokens of the entry at a position; 0 where there is none. */
export function tokensAt({ sizes }: Conversation, position: number): number {
  return sizes.at(position)?.tokens ?? 0;
}

/** Tokens of the entries at positions `[first, end)`. */
export function tokensBetween(conversation: Conversation, first: number, end: number): number {
  if (end <= first) return 0;
  return (conversation.tokensBefore.at(end) ?? 0) - (conversation.tokensBefore.at(first) ?? 0);
}

/** Length of the full history: the ordinal of the message that comes next. */
export function nextOrdinal({ entries }: Conversation): number {
  const last = entries.at(entries.length - 1);
  return last ? endOf(last) : 0;
}

/** Position of the message with this ordinal, or of the place holder that stands for it; -1 where there is neither. */
export function positionOf(conversation: Conversation, ordinal: number): number {
  const { entries } = conversation;
  if (entries.at(ordinal)?.ordinal === ordinal) return ordinal;
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = entries.at(middle);
    if (!found) return -1;
    if (found.ordinal === ordinal || (isUnloaded(found) && found.ordinal < ordinal && ordinal < endOf(found)))
      return middle;
    if (found.ordinal < ordinal) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/**
 * The unloaded ranges that can still be trusted when only the first `length` entries are kept: those that are whole, and
 * as surely answered as they were. Whether the model has answered the last message of a range is told by what came behind
 * it; where nothing did, it was its own answer.
 */
export function unloadedRangesWithin(conversation: Conversation, length: number): readonly UnloadedRange[] {
  const { unloadedRanges, entries } = conversation;
  if (unloadedRanges.length === 0 || length >= entries.length) return unloadedRanges;
  const last = entries.at(length - 1);
  const end = last ? endOf(last) : 0;
  return unloadedRanges.filter((range) => {
    if (range.end > end) return false;
    const from = positionOf(conversation, range.end - 1) + 1;
    return isAnswered(conversation, from, length) || !isAnswered(conversation, from, entries.length);
  });
}

function isAnswered({ entries }: Conversation, from: number, end: number): boolean {
  for (let position = from; position < end; position += 1) {
    const entry = entries.at(position);
    if (entry?.role === 'assistant' && !isUnloaded(entry)) return true;
  }
  return false;
}
