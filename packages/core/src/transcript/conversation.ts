import { Log } from './log.ts';
import { joinUnit, startUnit } from './unit.ts';
import type { Entry } from './entry.ts';
import type { ResponseShape, Unit } from './unit.ts';

/** Estimated cost of one message: all of it, and each of its parts without the message overhead. */
export interface EntrySize {
  readonly tokens: number;
  readonly parts: readonly number[];
}

export type MeasureEntry = (entry: Entry) => EntrySize;

export interface ConversationOptions {
  readonly measure: MeasureEntry;
  /** How the format spreads one response over messages. @default 'one' */
  readonly responseShape?: ResponseShape;
  /** What the error result costs that a call without a result gets before it is sent. @default 0 */
  readonly interruptedTokens?: number;
}

/**
 * The full history: an immutable handle of measured entries, grouped into units. Appending returns a new handle and
 * costs only what is appended; every entry is measured once.
 */
export interface Conversation {
  readonly measure: MeasureEntry;
  readonly responseShape: ResponseShape;
  readonly interruptedTokens: number;
  readonly entries: Log<Entry>;
  readonly sizes: Log<EntrySize>;
  /** Tokens of all entries before each position; one longer than `entries`. */
  readonly tokensBefore: Log<number>;
  /** All units but the last. */
  readonly units: Log<Unit>;
  readonly lastUnit: Unit | undefined;
  /** Calls of the units but the last that have no result in them. */
  readonly interruptedCalls: number;
  /** Position after the newest assistant message: what follows the model has not answered. 0 when there is none. */
  readonly answeredEnd: number;
  /** Position of the first and of the newest message that a user wrote; -1 when there is none. */
  readonly taskAt: number;
  readonly latestAt: number;
  /** Position of the newest compaction item of the provider, -1 when there is none: nothing before it reaches the model. */
  readonly barrierAt: number;
}

export function createConversation({
  measure,
  responseShape = 'one',
  interruptedTokens = 0,
}: ConversationOptions): Conversation {
  return {
    measure,
    responseShape,
    interruptedTokens,
    entries: Log.of<Entry>([]),
    sizes: Log.of<EntrySize>([]),
    tokensBefore: Log.of([0]),
    units: Log.of<Unit>([]),
    lastUnit: undefined,
    interruptedCalls: 0,
    answeredEnd: 0,
    taskAt: -1,
    latestAt: -1,
    barrierAt: -1,
  };
}

/**
 * Adds messages at the end. Entries carry increasing ordinals; gaps stand for history that was not loaded.
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
  const units: Unit[] = [];
  let { lastUnit, interruptedCalls, answeredEnd, taskAt, latestAt, barrierAt } = conversation;
  let total = conversation.tokensBefore.at(conversation.entries.length) ?? 0;
  const from = conversation.entries.length;
  let position = from;
  for (const entry of entries) {
    const size = known[position - from] ?? conversation.measure(entry);
    sizes.push(size);
    total += size.tokens;
    tokensBefore.push(total);
    const joined = lastUnit && joinUnit(lastUnit, entry, position, conversation.responseShape);
    if (lastUnit && !joined) {
      units.push(lastUnit);
      interruptedCalls += lastUnit.openCalls.length;
    }
    lastUnit = joined ?? startUnit(entry, position);
    if (lastUnit.type === 'barrier') barrierAt = position;
    if (entry.role === 'assistant') answeredEnd = position + 1;
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
    units: conversation.units.append(units),
    lastUnit,
    interruptedCalls,
    answeredEnd,
    taskAt,
    latestAt,
    barrierAt,
  };
}

/** A message in which a user says something, not only the transport of results or an empty one. */
export function isRequest(entry: Entry): boolean {
  return (
    entry.role === 'user' &&
    entry.parts.some((part) => (part.type === 'text' && part.text.trim() !== '') || part.type === 'media')
  );
}

export function unitsOf(conversation: Conversation): Unit[] {
  const { units, lastUnit } = conversation;
  return lastUnit ? [...units, lastUnit] : [...units];
}

/** The unit that holds the entry at `position`. */
export function unitAt(conversation: Conversation, position: number): Unit | undefined {
  const { units, lastUnit } = conversation;
  if (lastUnit && position >= lastUnit.first) return position < lastUnit.end ? lastUnit : undefined;
  let low = 0;
  let high = units.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const unit = units.at(middle);
    if (!unit) return undefined;
    if (position < unit.first) high = middle - 1;
    else if (position >= unit.end) low = middle + 1;
    else return unit;
  }
  return undefined;
}

/** What the error results cost for the calls of one message that the messages after it have left without a result. */
export function interruptedTokensAt(conversation: Conversation, position: number): number {
  if (conversation.interruptedCalls === 0) return 0;
  const unit = unitAt(conversation, position);
  if (!unit || unit === conversation.lastUnit) return 0;
  const calls = unit.openCalls.filter(({ entry }) => entry === position);
  return calls.length * conversation.interruptedTokens;
}

/** The same for the last unit, whose results may yet come: where they do not, it is sent with error results too. */
export function openTokens({ lastUnit, interruptedTokens }: Conversation): number {
  return (lastUnit?.openCalls.length ?? 0) * interruptedTokens;
}

/** Tokens of the entries at positions `[first, end)`. */
export function tokensBetween(conversation: Conversation, first: number, end: number): number {
  if (end <= first) return 0;
  return (conversation.tokensBefore.at(end) ?? 0) - (conversation.tokensBefore.at(first) ?? 0);
}

/** Position of the entry with this ordinal, or -1. */
export function positionOf(conversation: Conversation, ordinal: number): number {
  const { entries } = conversation;
  if (entries.at(ordinal)?.ordinal === ordinal) return ordinal;
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = entries.at(middle)?.ordinal ?? 0;
    if (found === ordinal) return middle;
    if (found < ordinal) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
