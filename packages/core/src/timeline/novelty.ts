/**
 * What a text says that is not said already: the pairs of words that follow each other in it. A name that comes again with
 * something else beside it is new; the same sentence, or an error that a compiler prints for each package, is not.
 */
export interface Novelty {
  /** How much of a text with these terms is new: from `leastNovelty`, where all of it stands there, to 1. */
  readonly of: (terms: Terms) => number;
  readonly show: (terms: Terms) => void;
}

/** What a text says, each term once, and how much all of it says. A text is weighed far more often than it is read. */
export interface Terms {
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

interface Ranked {
  readonly worth: number;
}

// So many are weighed again on the way, and each so often; the others come by what they were worth at the beginning. It
// bounds the time that a text of 100 000 equal lines takes, and is more than a summary shows.
const mostInPlay = 20_000;
const mostWeighings = 4;

/**
 * Gives what is worth most first, while what is left loses worth on the way. `ranked`: best first, by what each is worth at
 * the beginning. `worthNow` never grows. An item is weighed again when its turn comes, so that few are.
 */
export function* bestFirst<Item extends Ranked>(
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

/** Scores are stored: three digits tell them apart. */
export function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
