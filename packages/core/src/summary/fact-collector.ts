import { factKinds, FactTable } from './fact-table.ts';
import { findFacts } from './find-facts.ts';
import { Ranking } from './ranking.ts';
import type { CollectedFact } from './fact-table.ts';
import type { FactKind } from './word-shape.ts';

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
const maxMentionScore = 5;
// What was named lately is wanted sooner: replay of all recorded sets gains 1 to 5 points of far recall by it.
const maxRecencyScore = 1;
const recencyHalfLife = 40;
const maxScore = 6 + maxMentionScore + maxRecencyScore;

// Scores are compared in steps of 1/256: what differs by less is ordered by its first mention.
const scoreSteps = 256;

// Distinct facts kept while collecting; a fold of a whole session stays below, a fold of log files does not.
const mostFacts = 250_000;

export interface TextPart {
  readonly first: number;
  readonly end: number;
}

/** Stands for all that have read nothing. */
const noFacts = new FactTable();

/**
 * Collects the facts of many texts and merges their mentions. Time is linear in the texts; memory is bounded: beyond
 * 250 000 distinct facts the less useful half is forgotten.
 */
export class FactCollector {
  /** What a JIT compiler knows of a class goes with its last object: one always lives. */
  static readonly kept = new FactCollector();

  #table = noFacts;

  // One function for all texts: it stays small enough to be inlined into the scan.
  readonly #visit = (start: number, end: number, kind: FactKind): void =>
    this.#table.mention(start, end, kind);

  /** Reads one text. `ordinal`: position of its message; `weight`: what one mention in it is worth, an integer. */
  add(text: string, ordinal = 0, weight = 1): void {
    this.addPart(text, { first: 0, end: text.length }, ordinal, weight);
  }

  /** Reads what lies between two borders of words. */
  addPart(text: string, { first, end }: TextPart, ordinal: number, weight: number): void {
    if (this.#table === noFacts) this.#table = new FactTable();
    this.#table.open(text, ordinal, weight);
    findFacts(text, this.#visit, first, end);
    if (this.#table.size > mostFacts) this.#table = this.#table.keep(this.#best(mostFacts / 2));
  }

  /** What was found, most useful first, at most `limit` of it; the same texts give the same order. */
  *ranked(limit = Infinity): Generator<CollectedFact> {
    for (const index of this.#best(limit)) yield this.#table.at(index);
  }

  /** The same, with what tells the texts that may be among them from others. */
  ranking(limit: number): Ranking {
    return new Ranking(this.#table, this.#best(limit));
  }

  /** What is known of one fact. */
  find(text: string): CollectedFact | undefined {
    const index = this.#table.indexOf(text);
    return index < 0 ? undefined : this.#table.at(index);
  }

  /** The best facts by score, then by their first mention: counted out in steps, so that none is compared. */
  #best(limit: number): Uint32Array {
    const table = this.#table;
    const { size, newestOrdinal } = table;
    const steps = new Uint16Array(size);
    const counts = new Uint32Array(maxScore * scoreSteps + 1);
    for (let index = 0; index < size; index++) {
      const step = scoreStep(table, index, newestOrdinal);
      steps[index] = step;
      counts[step] = (counts[step] ?? 0) + 1;
    }
    const places = placesFromHighest(counts);
    const best = new Uint32Array(Math.min(limit, size));
    for (let index = 0; index < size; index++) {
      const step = steps[index] ?? 0;
      const place = places[step] ?? 0;
      places[step] = place + 1;
      if (place < best.length) best[place] = index;
    }
    return best;
  }
}

/** Where the first fact of each step stands, the highest step in front. */
function placesFromHighest(counts: Uint32Array): Uint32Array {
  const places = new Uint32Array(counts.length);
  let place = 0;
  for (let step = counts.length - 1; step >= 0; step--) {
    places[step] = place;
    place += counts[step] ?? 0;
  }
  return places;
}

const numberKind = factKinds.indexOf('number');
const usefulnessOf = Float64Array.from(factKinds, (kind) => usefulness[kind]);

function scoreStep(table: FactTable, index: number, newestOrdinal: number): number {
  const kind = table.kindNumberOf(index);
  const length = table.lengthOf(index);
  // Long numbers are ids more often than amounts.
  const isId = kind === numberKind && length > 5 && length < 13;
  const base = isId ? idUsefulness : (usefulnessOf[kind] ?? 0);
  const age = newestOrdinal - table.ordinalOf(index);
  return Math.floor((base + mentionScore(table.weightOf(index)) + recencyScore(age)) * scoreSteps);
}

/** Halved every 40 messages, by a table: a power for each of a million facts would be felt. */
const recencyScores = Float64Array.from(
  { length: recencyHalfLife * 8 },
  (_, age) => maxRecencyScore * 2 ** (-age / recencyHalfLife),
);

function recencyScore(age: number): number {
  return recencyScores[age] ?? 0;
}

/** What the sum of the weights of its mentions adds: a mention by the user says more than one in a listing. */
const mentionScores = Float64Array.from({ length: 32 }, (_, weight) =>
  Math.min(maxMentionScore, Math.log2(weight + 1)),
);

function mentionScore(weight: number): number {
  return mentionScores[weight] ?? maxMentionScore;
}
