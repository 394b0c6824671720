import { findFacts } from './find-facts.ts';
import type { FactKind } from './word-shape.ts';

/** A fact with what is known about its use. */
export interface CollectedFact {
  readonly text: string;
  readonly kind: FactKind;
  mentions: number;
  /** Sum of the weights of its mentions: a mention by the user says more than one in a listing. */
  weight: number;
  /** Position of the message that mentioned it last. */
  ordinal: number;
  /** Running number of its first mention. */
  readonly order: number;
}

/** How likely a later step needs a fact of this kind again, other things being equal. */
const usefulness: { readonly [Kind in FactKind]: number } = {
  path: 6,
  file: 5.5,
  url: 5,
  ticket: 6,
  identifier: 4,
  variable: 4,
  hash: 3.5,
  flag: 3,
  version: 2.5,
  name: 2,
  number: 1,
};

const idUsefulness = 2.5;

// Distinct facts kept while collecting; a fold of a whole session stays far below, a fold of log files does not.
const mostFacts = 60_000;

/**
 * Collects the facts of many texts and merges their mentions. Time is linear in the texts; memory is bounded: beyond
 * 60 000 distinct facts the less useful half is forgotten.
 */
export class FactCollector {
  readonly #facts = new Map<string, CollectedFact>();
  #text = '';
  #ordinal = 0;
  #weight = 1;
  #order = 0;

  // One function for all texts: it stays small enough to be inlined into the scan.
  readonly #visit = (start: number, end: number, kind: FactKind): void => {
    const text = this.#text.slice(start, end);
    const known = this.#facts.get(text);
    if (known === undefined) {
      this.#facts.set(text, {
        text,
        kind,
        mentions: 1,
        weight: this.#weight,
        ordinal: this.#ordinal,
        order: this.#order++,
      });
      return;
    }
    known.mentions++;
    known.weight += this.#weight;
    known.ordinal = this.#ordinal;
  };

  /** Reads one text. `ordinal`: position of its message; `weight`: what one mention in it is worth. */
  add(text: string, ordinal = 0, weight = 1): void {
    this.#text = text;
    this.#ordinal = ordinal;
    this.#weight = weight;
    findFacts(text, this.#visit);
    if (this.#facts.size > mostFacts) this.#forget();
  }

  /** What was found, most useful first; the same texts give the same order. */
  ranked(): CollectedFact[] {
    return [...this.#facts.values()].sort(
      (left, right) => score(right) - score(left) || left.order - right.order,
    );
  }

  #forget(): void {
    for (const fact of this.ranked().slice(mostFacts / 2)) this.#facts.delete(fact.text);
  }
}

function score(fact: CollectedFact): number {
  // Long numbers are ids more often than amounts.
  const isId = fact.kind === 'number' && fact.text.length > 5 && fact.text.length < 13;
  return (isId ? idUsefulness : usefulness[fact.kind]) + Math.min(5, Math.log2(fact.weight + 1));
}
