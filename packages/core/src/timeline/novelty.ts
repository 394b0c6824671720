/**
 * What a text says that is not said already: the pairs of words that follow each other in it. A name that comes again with
 * something else beside it is new; the same sentence, or an error that a compiler prints for each package, is not.
 */
export interface Novelty {
  /** How much of a text with these terms is new: from `leastNovelty`, where all of it stands there, to 1. */
  readonly of: (terms: readonly string[]) => number;
  readonly show: (terms: readonly string[]) => void;
}

// What is said again is worth a tenth: it goes behind nearly all else, and is shown where there is room.
const leastNovelty = 0.1;

export function openNovelty(): Novelty {
  const shown = new Set<string>();
  return {
    of(terms) {
      if (terms.length === 0) return 1;
      const fresh = new Set(terms.filter((term) => !shown.has(term)));
      return leastNovelty + (1 - leastNovelty) * (fresh.size / terms.length);
    },
    show(terms) {
      for (const term of terms) shown.add(term);
    },
  };
}

const word = /[\p{L}\p{N}_]+/gu;
// Scripts without spaces between words: two characters stand for one.
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
const fewWords = 3;

/** The terms of a text, as often as it says them: pairs of neighbouring words; of a text of two words, or without spaces, the words themselves, too. */
export function termsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .match(word)
      ?.filter((one) => one.length > 2 || /\d/.test(one)) ?? [];
  const pairs = words.slice(1).map((one, at) => `${words[at]} ${one}`);
  if (unspaced.test(text)) return [...pairs, ...words.flatMap(characterPairs)];
  return words.length < fewWords ? [...pairs, ...words] : pairs;
}

function characterPairs(text: string): string[] {
  if (!unspaced.test(text)) return [text];
  return Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

interface Ranked {
  readonly worth: number;
}

/**
 * Gives what is worth most first, while what is left loses worth on the way. `ranked`: best first, by what each is worth at
 * the beginning. `worthNow` never grows. An item is weighed again when its turn comes, so that few are.
 */
export function* bestFirst<Item extends Ranked>(
  ranked: readonly Item[],
  worthNow: (item: Item) => number,
): Generator<Item> {
  // Best last.
  const waiting: { readonly item: Item; readonly worth: number }[] = [];
  for (let at = 0; at < ranked.length || waiting.length > 0;) {
    const fresh = ranked[at];
    const waited = waiting.at(-1);
    const isWaiting = waited !== undefined && waited.worth >= (fresh?.worth ?? Number.NEGATIVE_INFINITY);
    const { item, worth } = isWaiting ? waited : { item: fresh as Item, worth: fresh?.worth ?? 0 };
    if (isWaiting) waiting.pop();
    else at += 1;
    const now = worthNow(item);
    if (now < worth) waiting.splice(placeOf(waiting, now), 0, { item, worth: now });
    else yield item;
  }
}

function placeOf(sorted: readonly Ranked[], worth: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.worth ?? 0) < worth) low = middle + 1;
    else high = middle;
  }
  return low;
}
