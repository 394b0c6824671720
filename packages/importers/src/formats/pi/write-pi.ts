import { editText } from '@throughline/core/codec';
import { writeJson } from '@throughline/core/internal';
import { nearestOriginal } from '../../recording/format.ts';
import { isObject, objectOf, textOf, timeOf } from '../../recording/json-value.ts';
import { derivedHex } from '../../write/derived-id.ts';
import { diffEdits, withPrefix } from '../../write/edit-slice.ts';
import { entriesOf, itemOf, pathTo } from './entries.ts';
import type { WireEdit } from '@throughline/core/codec';
import type { WriteRequest } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument, RecordedSession } from '../../recording/recording.ts';
import type { PiEntry } from './entries.ts';

type Request = WriteRequest<LinesDocument>;

/**
 * A pi session that holds the view: the header, then one chain of entries. Lines of unchanged messages keep their
 * bytes, except for `parentId` where their parent is gone. What is no message (settings, names, what extensions
 * remember) stays in its place, whatever becomes of the messages around it. A compaction of pi's own stays a
 * compaction only as the first message, since pi drops what stands before one; elsewhere it becomes a message with
 * the same text.
 */
export function writePi(request: Request): string[] {
  const writer = new PiWriter(request);
  for (const [position, item] of request.view.entries()) {
    if (item.type === 'written') writer.compose(item.message, position);
    else writer.copy(item.index, position, item.isEdited ? item.message : undefined);
  }
  return writer.finish();
}

class PiWriter {
  readonly #texts: string[];
  readonly #request: Request;
  readonly #entryByLine: ReadonlyMap<number, PiEntry>;
  readonly #hasIds: boolean;
  readonly #between: BetweenMessages;
  readonly #written = new Set<string>();
  #lastId: string | undefined;
  #messages = 0;

  constructor(request: Request) {
    const entries = entriesOf(request.document);
    this.#request = request;
    this.#entryByLine = new Map(entries.map((entry) => [entry.line, entry]));
    this.#hasIds = entries.some(({ value }) => textOf(value['id']) !== undefined);
    this.#between = new BetweenMessages(request.session, entries);
    const header = request.document.lines.find(({ value }) => objectOf(value)['type'] === 'session');
    this.#texts = header ? [header.text] : [];
  }

  copy(index: number, position: number, edited: unknown): void {
    const { session, view } = this.#request;
    const origin = session.origins[index];
    const entry = origin?.type === 'line' ? this.#entryByLine.get(origin.line) : undefined;
    const original = session.messages[index];
    if (entry === undefined || origin?.type !== 'line') return this.compose(edited ?? original, position);
    if (entry.type === 'compaction' && this.#messages > 0)
      return this.#composeSummary(edited ?? original, position);
    const before = view[position - 1];
    const isNeighbour = before?.type === 'original' && before.index === index - 1;
    this.#keep(this.#between.before(index, isNeighbour));
    const edits = edited === undefined ? [] : diffEdits(original, edited);
    this.#line(entry, withPrefix(origin.at, edits));
    this.#messages += 1;
  }

  finish(): string[] {
    this.#keep(this.#between.rest());
    return this.#texts;
  }

  /** A label goes with what it labels. */
  #keep(entries: readonly PiEntry[]): void {
    for (const entry of entries) {
      const target = entry.type === 'label' ? textOf(entry.value['targetId']) : undefined;
      if (target === undefined || this.#written.has(target)) this.#line(entry, []);
    }
  }

  #line(entry: PiEntry, edits: readonly WireEdit[]): void {
    const text = this.#request.document.lines[entry.line]?.text ?? '';
    const needsLink = this.#hasIds && entry.parent !== this.#lastId;
    const link: WireEdit[] = needsLink ? [{ at: ['parentId'], set: this.#lastId ?? null }] : [];
    this.#texts.push(editText(text, [...edits, ...link]) ?? text);
    this.#lastId = entry.id;
    this.#written.add(entry.id);
  }

  #composeSummary(message: unknown, position: number): void {
    const text = `${summaryStart}${textOf(objectOf(message)['summary']) ?? ''}${summaryEnd}`;
    this.compose({ role: 'user', content: [{ type: 'text', text }] }, position);
  }

  compose(message: unknown, position: number): void {
    const { session, view } = this.#request;
    const nearest = nearestOriginal(view, position) ?? 0;
    const origin = session.origins[nearest];
    const line = origin?.type === 'line' ? objectOf(this.#request.document.lines[origin.line]?.value) : {};
    const id = derivedHex(`${this.#lastId ?? ''} ${this.#texts.length} ${writeJson(message)}`).slice(0, 8);
    const timestamp = textOf(line['timestamp']) ?? '1970-01-01T00:00:00.000Z';
    const links = this.#hasIds ? { id, parentId: this.#lastId ?? null } : {};
    const whole = completed(objectOf(message), {
      time: timeOf(timestamp) ?? 0,
      answer: this.#answerNear(nearest),
    });
    this.#texts.push(writeJson({ type: 'message', ...links, timestamp, message: whole }));
    this.#lastId = id;
    this.#messages += 1;
  }

  #answerNear(index: number): WireObject {
    const { messages } = this.#request.session;
    const isAnswer = (message: unknown): boolean => isObject(message) && message['role'] === 'assistant';
    return objectOf(messages.slice(0, index + 1).findLast(isAnswer) ?? messages.find(isAnswer));
  }
}

/** The words that pi puts around the summary of a compaction when it sends it. */
const summaryStart =
  'The conversation history before this point was compacted into the following summary:\n\n<summary>\n';
const summaryEnd = '\n</summary>';

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** What pi requires of each message beside its content. One with a time of its own is put back: it lacks nothing. */
function completed(
  message: WireObject,
  { time, answer }: { readonly time: number; readonly answer: WireObject },
): WireObject {
  if (message['timestamp'] !== undefined) return message;
  if (message['role'] !== 'assistant') return { ...message, timestamp: time };
  return {
    ...message,
    api: answer['api'] ?? 'unknown',
    provider: answer['provider'] ?? 'unknown',
    model: answer['model'] ?? 'unknown',
    usage: noUsage,
    stopReason: 'stop',
    timestamp: time,
  };
}

/** Entries that carry a message, sent or not, or the summary of some. */
const messageTypes: ReadonlySet<string> = new Set([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
]);

/** The entries of a session that are none of its messages, each handed out once, in the order of the session. */
class BetweenMessages {
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
