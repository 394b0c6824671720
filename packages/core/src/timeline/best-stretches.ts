import { shortLabel, shortLabelCharacters } from './line-text.ts';
import { namingLine, newestFailures } from './open-failures.ts';
import { messageOrdinal } from '../transcript/entry.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

/** What is shown or left out as one: what a call was, or a piece of what was said, written or came back. */
export interface Stretch {
  readonly entry: number;
  readonly line: number;
  /** `whole`: what `label` leaves out of a long label. */
  readonly side: 'label' | 'whole' | 'sent' | 'got';
  /** Its place among the pieces of its side. */
  readonly at: number;
  readonly worth: number;
}

/** All stretches beside the user's words, best first. What repeats words that stand in front of it is worth less. */
export function* bestStretches(entries: readonly TimelineEntry[]): Generator<Stretch> {
  const novelty = openNovelty();
  const terms = termsIn(entries);
  for (const entry of entries)
    for (const { kind, sent } of entry.lines)
      if (kind === 'user') for (const { text } of sent) novelty.show(termsOf(text));
  // An answer of the user says something also where its words were said before.
  const worthNow = (one: Stretch): number =>
    lineOf(entries, one).kind === 'answer' ? one.worth : one.worth * novelty.of(terms(one));
  for (const stretch of bestFirst(rankedStretches(entries), worthNow)) {
    novelty.show(terms(stretch));
    yield stretch;
  }
}

/** The terms of a stretch, each looked for once and only when it is asked for. */
function termsIn(entries: readonly TimelineEntry[]): (stretch: Stretch) => Terms {
  const known = new Map<Stretch, Terms>();
  return (stretch) => {
    const before = known.get(stretch);
    if (before) return before;
    const { side, at } = stretch;
    const line = lineOf(entries, stretch);
    const label = side === 'label' ? shortLabel(line.label, '') : line.label;
    const text = side === 'sent' || side === 'got' ? (line[side][at]?.text ?? '') : label;
    const terms = termsOf(text);
    known.set(stretch, terms);
    return terms;
  };
}

export function lineOf(entries: readonly TimelineEntry[], { entry, line }: Stretch): TimelineLine {
  return entries[entry]?.lines[line] as TimelineLine;
}

type Weighed = LineKind | 'failed';
type Worth = { readonly label: number; readonly sent: number; readonly got: number };

/**
 * What a stretch is worth beside others, times the score of its piece. Readers who see nothing but the timeline answer
 * most from what the assistant said, to the user or beside its calls; results that nobody spoke of come last. A thought
 * weighs what may be; where it is worth as much as words, it crowds out what was found (10k: 0.79 instead of 0.81 of the
 * words of reference answers on five sessions that nobody tuned to).
 */
const worths: { readonly [Kind in Exclude<Weighed, 'user'>]: Worth } = {
  answer: { label: 3, sent: 3, got: 5 },
  told: { label: 0, sent: 1.3, got: 0 },
  instructions: { label: 0, sent: 1, got: 0 },
  said: { label: 0, sent: 1.5, got: 0 },
  thought: { label: 0, sent: 0.4, got: 0 },
  announced: { label: 0, sent: 0.6, got: 0 },
  failed: { label: 0.7, sent: 0.5, got: 1 },
  edit: { label: 0.4, sent: 0.6, got: 0 },
  command: { label: 0.35, sent: 0.5, got: 0.8 },
  call: { label: 0.45, sent: 0.6, got: 1.1 },
  output: { label: 0, sent: 0, got: 0.5 },
  look: { label: 0.16, sent: 0.3, got: 0.35 },
  aside: { label: 0, sent: 0.3, got: 0 },
};

// What the oldest message is worth beside the newest.
const leastAge = 0.75;
// The more of one text is shown, the less the next piece of it is worth.
const wholeCharacters = 1_000;
// What the next step may be about: the line that names the failure and its best ones are told before all else.
const failureCharacters = 300;
const failureWorth = 100;

/** All that may be shown beside the user's words, best first. */
function rankedStretches(entries: readonly TimelineEntry[]): Stretch[] {
  const newest = entries.at(-1);
  const end = newest ? messageOrdinal(newest.recallId) + 1 : 1;
  const failures = newestFailures(entries);
  const stretches = entries.flatMap((entry, at) => {
    const age = leastAge + (1 - leastAge) * ((messageOrdinal(entry.recallId) + 1) / end);
    return entry.lines.flatMap((line, index) =>
      line.kind === 'user'
        ? []
        : lineStretches(line, { entry: at, line: index, age, isUrgent: failures.has(line) }),
    );
  });
  return stretches.sort((a, b) => b.worth - a.worth || b.entry - a.entry || a.at - b.at);
}

interface LinePlace {
  readonly entry: number;
  readonly line: number;
  readonly age: number;
  readonly isUrgent: boolean;
}

function lineStretches(line: TimelineLine, place: LinePlace): Stretch[] {
  const worth = worths[line.hasFailed ? 'failed' : (line.kind as keyof typeof worths)];
  const { entry, line: index, age } = place;
  // Of a search that found nothing its label says so.
  const urgency = place.isUrgent && line.foundNothing ? failureWorth : 1;
  return [
    ...labelStretches(line, worth.label * age * urgency).map((stretch) => ({
      ...stretch,
      entry,
      line: index,
      at: 0,
    })),
    ...(worth.sent > 0 ? sideStretches(line.sent, 'sent', worth.sent, { ...place, isUrgent: false }) : []),
    ...(worth.got > 0 ? sideStretches(line.got, 'got', worth.got, place) : []),
  ];
}

// What stands between the ends of a long label.
const middleShare = 0.4;

function labelStretches({ label }: TimelineLine, worth: number): Pick<Stretch, 'side' | 'worth'>[] {
  if (worth === 0 || label === '') return [];
  if (label.length <= shortLabelCharacters) return [{ side: 'label', worth }];
  return [
    { side: 'label', worth },
    { side: 'whole', worth: worth * middleShare },
  ];
}

function sideStretches(
  pieces: readonly Piece[],
  side: 'sent' | 'got',
  worth: number,
  { entry, line, age, isUrgent }: LinePlace,
): Stretch[] {
  const order = pieces.map((_, at) => at).filter((at) => (pieces[at]?.score ?? -1) >= 0);
  const first = isUrgent ? namingLine(pieces) : -1;
  order.sort(
    (a, b) =>
      Number(b === first) - Number(a === first) || (pieces[b]?.score ?? 0) - (pieces[a]?.score ?? 0) || a - b,
  );
  let before = 0;
  return order.map((at) => {
    const { text, score } = pieces[at] as Piece;
    const urgency = isUrgent && before + text.length <= failureCharacters ? failureWorth : 1;
    const own = (worth * age * score * urgency) / Math.sqrt(1 + before / wholeCharacters);
    before += text.length;
    return { entry, line, side, at, worth: own };
  });
}

/**
 * What a text says that is not said already: the pairs of words that follow each other in it. A name that comes again with
 * something else beside it is new; the same sentence, or an error that a compiler prints for each package, is not.
 */
interface Novelty {
  /** How much of a text with these terms is new: from `leastNovelty`, where all of it stands there, to 1. */
  readonly of: (terms: Terms) => number;
  readonly show: (terms: Terms) => void;
}

/** What a text says, each term once, and how much all of it says. A text is weighed far more often than it is read. */
interface Terms {
  readonly distinct: readonly string[];
  readonly said: number;
}

// What is said again is worth a tenth: it goes behind nearly all else, and is shown where there is room.
const leastNovelty = 0.1;

export function openNovelty(): Novelty {
  const shown = new Set<string>();
  return {
    of({ distinct, said }) {
      if (distinct.length === 0) return 1;
      let fresh = 0;
      for (const term of distinct) if (!shown.has(term)) fresh += saidBy(term);
      return leastNovelty + (1 - leastNovelty) * (fresh / said);
    },
    show({ distinct }) {
      for (const term of distinct) shown.add(term);
    },
  };
}

// Two words of two or three letters. A sign or a "no" in front of a word may be all that is new.
const shortTerm = 6;
const leastTerm = 3;

/** Long words say more than short ones, which are the same everywhere. */
function saidBy(term: string): number {
  return Math.max(leastTerm, term.length - shortTerm);
}

// A sign may be all that tells two lines apart.
const word = /[\p{L}\p{N}_]+|[✓✗✔✘!<>]/gu;
// Scripts without spaces between words: two characters stand for one.
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
const fewWords = 3;
// Of a longer text: what it says again is seen by then.
const mostCharacters = 20_000;

/** The words of a text, in small letters, as often as it says them. */
function lowerWords(text: string): string[] {
  return text.slice(0, mostCharacters).toLowerCase().match(word) ?? [];
}

/** The terms of a text: pairs of neighbouring words; of a text of two words, or without spaces, the words themselves, too. */
export function termsOf(text: string): Terms {
  const words = lowerWords(text);
  const pairs = words.slice(1).map((one, at) => `${words[at]} ${one}`);
  const alone = unspaced.test(text) ? words.flatMap(characterPairs) : words.length < fewWords ? words : [];
  const terms = [...pairs, ...alone];
  return { distinct: [...new Set(terms)], said: terms.reduce((sum, term) => sum + saidBy(term), 0) };
}

function characterPairs(text: string): string[] {
  if (!unspaced.test(text)) return [text];
  return Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

// So many are weighed again on the way, and each so often; the others come by what they were worth at the beginning. It
// bounds the time that a text of 100 000 equal lines takes, and is more than a summary shows.
const mostInPlay = 20_000;
const mostWeighings = 4;

/**
 * Gives what is worth most first, while what is left loses worth on the way. `ranked`: best first, by what each is worth at
 * the beginning. `worthNow` never grows. An item is weighed again when its turn comes, so that few are.
 */
export function* bestFirst<Item extends { readonly worth: number }>(
  ranked: readonly Item[],
  worthNow: (item: Item) => number,
): Generator<Item> {
  const inPlay = Math.min(ranked.length, mostInPlay);
  const waiting: Waiting<Item>[] = [];
  for (let at = 0; at < inPlay || waiting.length > 0;) {
    const fresh = at < inPlay ? ranked[at] : undefined;
    const waited = waiting[0];
    const isWaiting = waited !== undefined && waited.worth >= (fresh?.worth ?? Number.NEGATIVE_INFINITY);
    const next = isWaiting ? waited : { item: fresh as Item, worth: fresh?.worth ?? 0, weighings: 0, at };
    if (isWaiting) takeFirst(waiting);
    else at += 1;
    const worth = next.weighings < mostWeighings ? worthNow(next.item) : next.worth;
    if (worth < next.worth)
      putIn(waiting, { item: next.item, worth, weighings: next.weighings + 1, at: next.at });
    else yield next.item;
  }
  yield* ranked.slice(inPlay);
}

interface Waiting<Item> {
  readonly item: Item;
  readonly worth: number;
  readonly weighings: number;
  /** Its place at the beginning: of equal ones the first comes first. */
  readonly at: number;
}

const isBefore = (one: Waiting<unknown>, other: Waiting<unknown>): boolean =>
  one.worth > other.worth || (one.worth === other.worth && one.at < other.at);

// A binary heap, best first: 10 to 30 ms for 20 000 items that lose worth, where a sorted array took 40 to 3 500.

function putIn<Item>(heap: Waiting<Item>[], added: Waiting<Item>): void {
  let at = heap.push(added) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(added, heap[above] as Waiting<Item>)) break;
    heap[at] = heap[above] as Waiting<Item>;
    at = above;
  }
  heap[at] = added;
}

function takeFirst<Item>(heap: Waiting<Item>[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (let below = 1; below < heap.length; below = at * 2 + 1) {
    const right = heap[below + 1];
    const better = right && isBefore(right, heap[below] as Waiting<Item>) ? below + 1 : below;
    if (!isBefore(heap[better] as Waiting<Item>, last)) break;
    heap[at] = heap[better] as Waiting<Item>;
    at = better;
  }
  heap[at] = last;
}
