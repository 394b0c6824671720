import { itemOf, pathTo } from './entries.ts';
import type { PiEntry } from './entries.ts';
import type { RecordedSession } from '../recording.ts';

/** Entries that carry a message, sent or not, or the summary of some. */
const messageTypes: ReadonlySet<string> = new Set([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
]);

/** The entries of a session that are none of its messages, each handed out once, in the order of the session. */
export class BetweenMessages {
  readonly #order: readonly PiEntry[];
  /** By message: position of the first entry that stands at it or behind it. */
  readonly #places: readonly number[];
  #next = 0;

  constructor({ kind, origins }: RecordedSession, entries: readonly PiEntry[]) {
    const byLine = new Map(entries.map((entry) => [entry.line, entry]));
    const messages = origins.map((origin) => (origin.type === 'line' ? byLine.get(origin.line) : undefined));
    const own = new Set(messages.filter((entry) => entry !== undefined));
    this.#order = orderOf(entries, own, kind === 'active');
    const positions = new Map(this.#order.map((entry, position) => [entry, position]));
    const places = messages.map((entry) => (entry === undefined ? undefined : positions.get(entry)));
    this.#places = leastFrom(places, this.#order.length);
  }

  /**
   * What stands before a message and was not handed out yet. Messages that are not sent (failed answers, commands
   * kept from the model) only where the message still follows the one before it.
   */
  before(message: number, isNeighbour: boolean): readonly PiEntry[] {
    const end = this.#places[message] ?? this.#next;
    return this.#take(end, (entry) => isNeighbour && itemOf(entry) === undefined);
  }

  /** What stands behind the last message. */
  rest(): readonly PiEntry[] {
    return this.#take(this.#order.length, () => false);
  }

  #take(end: number, isKeptMessage: (entry: PiEntry) => boolean): readonly PiEntry[] {
    const from = this.#next;
    this.#next = Math.max(from, end);
    return this.#order
      .slice(from, end)
      .filter((entry) => !messageTypes.has(entry.type) || isKeptMessage(entry));
  }
}

/**
 * For each place the least of it and all behind it: after a compaction its summary stands before what it kept, though
 * its entry stands behind that.
 */
function leastFrom(places: readonly (number | undefined)[], end: number): readonly number[] {
  const least = places.map(() => end);
  let place = end;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    place = Math.min(place, places[index] ?? place);
    least[index] = place;
  }
  return least;
}

/** The path that the messages lie on; of a session that was read as a whole all entries. */
function orderOf(
  entries: readonly PiEntry[],
  messages: ReadonlySet<PiEntry>,
  isActive: boolean,
): readonly PiEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const last = entries.findLast((entry) => messages.has(entry));
  const leaf = isActive ? entries.at(-1) : last;
  const path = leaf === undefined ? [] : pathTo(leaf, byId).entries;
  const onPath = new Set(path);
  return [...messages].every((entry) => onPath.has(entry)) ? path : entries;
}
