import { isObject } from '@throughline/core/codec';
import { jsonMemberSpan, listOf, parseJson, splitJsonArray } from '@throughline/core/internal';
import type { WireObject } from '@throughline/core/internal';

/** A stretch of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A body that was read, and where its messages stand in its text. */
export interface KnownBody {
  readonly text: string;
  readonly body: WireObject;
  readonly messages: readonly unknown[];
  /** One for each message; told only where it was found on the way. */
  readonly spans?: readonly Span[];
}

/** A body begins like one that is known: with so many messages, up to the comma or bracket behind them. */
interface Shared {
  readonly known: Required<KnownBody>;
  readonly count: number;
  readonly border: number;
}

/** Smaller bodies are read as fast as they are compared. */
const leastCharacters = 10_000;
const mostCharacters = 16_000_000;
const mostBodies = 100;
const mostOfPlace = 16;

/**
 * The bodies that were read last. A client resends its whole history: what a body has in common with the one before it is
 * not read again, and its messages are the same objects, which need not be compared either.
 */
export class KnownBodies {
  /** By place, the newest last; over all places in the order of the places that were used last. */
  readonly #places = new Map<string, KnownBody[]>();
  #characters = 0;
  #count = 0;

  /**
   * The body as its text alone would be read; `undefined` where it is no object with a list of messages.
   *
   * @param place whose bodies are compared with it
   */
  read(place: string, key: string, text: string): KnownBody | undefined {
    if (text.length < leastCharacters) return readAlone(key, text);
    const shared = longestShared(this.#places.get(place) ?? [], key, text);
    const read = (shared && readBehind(shared, key, text)) ?? readAlone(key, text);
    if (read && read.messages.length > 0) this.#keep(place, read, shared);
    return read;
  }

  #keep(place: string, read: KnownBody, shared: Shared | undefined): void {
    const bodies = this.#places.get(place) ?? [];
    // What goes on from all of a known one takes its place: from now on this one is gone on from.
    const isReplaced = shared && shared.count === shared.known.messages.length;
    const at = isReplaced ? bodies.findIndex(({ text }) => text === shared.known.text) : -1;
    if (at >= 0) this.#drop(bodies, at);
    if (bodies.length >= mostOfPlace) this.#drop(bodies, 0);
    bodies.push(read);
    this.#characters += read.text.length;
    this.#count += 1;
    this.#places.delete(place);
    this.#places.set(place, bodies);
    while (this.#characters > mostCharacters || this.#count > mostBodies) this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#places;
    if (!oldest) return;
    const [place, bodies] = oldest;
    this.#drop(bodies, 0);
    if (bodies.length === 0) this.#places.delete(place);
  }

  #drop(bodies: KnownBody[], at: number): void {
    const [dropped] = bodies.splice(at, 1);
    if (!dropped) return;
    this.#characters -= dropped.text.length;
    this.#count -= 1;
  }
}

function readAlone(key: string, text: string): KnownBody | undefined {
  const body = parseJson(text);
  return isObject(body) && Array.isArray(body[key]) ? { text, body, messages: listOf(body[key]) } : undefined;
}

/** The one that goes on from all messages of a known one, else from some of the newest that begins like it. */
function longestShared(bodies: KnownBody[], key: string, text: string): Shared | undefined {
  let partly: Required<KnownBody> | undefined;
  for (let at = bodies.length - 1; at >= 0; at -= 1) {
    const known = withSpans(bodies, at, key);
    if (!known) continue;
    const { length } = known.messages;
    const whole = sharedAt(known, length, text);
    if (whole) return whole;
    partly ??= beginsLike(known, Math.min(2, length), text) ? known : undefined;
  }
  return partly && mostShared(partly, text);
}

function withSpans(bodies: KnownBody[], at: number, key: string): Required<KnownBody> | undefined {
  const known = bodies[at];
  if (!known) return undefined;
  const { spans = splitJsonArray(known.text, [key])?.items ?? [] } = known;
  if (spans.length !== known.messages.length) return undefined;
  const found = { ...known, spans };
  bodies[at] = found;
  return found;
}

/** Where both begin with the same characters, up to the end of so many messages. */
function beginsLike({ text: known, spans }: Required<KnownBody>, count: number, text: string): boolean {
  const { end } = spans[count - 1] ?? { end: Infinity };
  return end < text.length && text.slice(0, end) === known.slice(0, end);
}

/** `undefined` where the message goes on: a number can. */
function sharedAt(known: Required<KnownBody>, count: number, text: string): Shared | undefined {
  if (!beginsLike(known, count, text)) return undefined;
  const end = known.spans[count - 1]?.end ?? 0;
  const border = borderBehind(text, end);
  return text[border] === ',' || text[border] === ']' ? { known, count, border } : undefined;
}

function borderBehind(text: string, end: number): number {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? ',')) at += 1;
  return at;
}

function mostShared(known: Required<KnownBody>, text: string): Shared | undefined {
  let [same, other] = [0, known.messages.length];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (beginsLike(known, middle, text)) same = middle;
    else other = middle;
  }
  return same > 0 ? sharedAt(known, same, text) : undefined;
}

/**
 * The body with the known messages left out is a body of its own: what is known, and what that one has. `undefined` where
 * it is none, and where its list is not the one that the known messages stand in.
 */
function readBehind({ known, count, border }: Shared, key: string, text: string): KnownBody | undefined {
  const first = known.spans[0]?.start ?? 0;
  const hasMore = text[border] === ',';
  const from = hasMore ? border + 1 : border;
  const rest = text.slice(0, first) + text.slice(from);
  const list = jsonMemberSpan(rest, key);
  // Of two lists of one name the last counts: it must begin where the known one does.
  if (!list || list.start >= first || borderBehind(rest, list.start + 1) < first) return undefined;
  const read = readAlone(key, rest);
  const found = splitJsonArray(rest, [key])?.items ?? [];
  if (!read || found.length !== read.messages.length || found.length > 0 !== hasMore) return undefined;
  const moved = from - first;
  const messages = [...known.messages.slice(0, count), ...read.messages];
  const spans = found.map((span) => ({ start: span.start + moved, end: span.end + moved }));
  return {
    text,
    body: { ...read.body, [key]: messages },
    messages,
    spans: [...known.spans.slice(0, count), ...spans],
  };
}
