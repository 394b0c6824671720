import { findSegments, leastPartChars, noSegments } from './fact-parts.ts';
import { foldHash, highHash, highSeed, lowHash, lowSeed } from './fact-hash.ts';
import type { AskedFacts } from './asked-facts.ts';

/** Of the fact that is added: nothing is added while something is. */
const segments = noSegments();

/**
 * Facts that have been said, with all their parts: what stands inside one of them need not be said again.
 *
 * A path has twenty parts, and to cut each out as a string of its own would be most of what choosing facts costs: texts
 * are told apart by two independent hashes of 32 bits, in a table of numbers with open addressing.
 */
export class SaidFacts {
  /** Two numbers for a text; 0 as the second one is free. */
  #places = new Int32Array(2_048);
  #size = 0;
  #low = 0;
  #high = 0;
  readonly #asked: AskedFacts | undefined;

  /** @param asked what it will be asked about; @default anything */
  constructor(asked?: AskedFacts) {
    this.#asked = asked;
  }

  /** The fact at `[start, end)` of a text, and every part of it between separators: `config.ts` in `src/config.ts`. */
  add(text: string, start: number, end: number): void {
    findSegments(text, start, end, segments);
    const { count, starts, ends } = segments;
    if (count === 1 || (starts[count - 1] ?? 0) > start || end - start < leastPartChars) {
      this.#begin();
      this.#hash(text, start, end);
      this.#put();
    }
    if (count === 1) return;
    for (let first = count - 1; first >= 0; first--) {
      this.#begin();
      const from = starts[first] ?? 0;
      let done = from;
      for (let last = first; last >= 0; last--) {
        // The hash of each part is on the way to that of the next.
        const to = ends[last] ?? 0;
        this.#hash(text, done, to);
        done = to;
        if (to - from >= leastPartChars) this.#put();
      }
    }
  }

  /** Whether the text from `start` on is one of them, or a part of one. */
  has(text: string, start: number): boolean {
    if (this.#size === 0) return false;
    this.#begin();
    this.#hash(text, start, text.length);
    return this.#places[this.#place() + 1] !== 0;
  }

  #begin(): void {
    this.#low = lowSeed;
    this.#high = highSeed;
  }

  #hash(text: string, start: number, end: number): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = start; index < end; index++) {
      const code = text.charCodeAt(index);
      low = lowHash(low, code);
      high = highHash(high, code);
    }
    this.#low = low;
    this.#high = high;
  }

  #put(): void {
    if (this.#asked?.mayHave(this.#low) === false) return;
    const place = this.#place();
    if (this.#places[place + 1] !== 0) return;
    this.#places[place] = this.#low;
    this.#places[place + 1] = this.#high || 1;
    this.#size++;
    if (this.#size * 4 > this.#places.length) this.#grow();
  }

  /** The place of what was hashed last, or the free one that it would take. */
  #place(): number {
    return placeOf(this.#places, this.#low, this.#high || 1);
  }

  #grow(): void {
    const places = new Int32Array(this.#places.length * 4);
    for (let old = 0; old < this.#places.length; old += 2) {
      const low = this.#places[old] ?? 0;
      const high = this.#places[old + 1] ?? 0;
      if (high === 0) continue;
      const place = placeOf(places, low, high);
      places[place] = low;
      places[place + 1] = high;
    }
    this.#places = places;
  }
}

function placeOf(places: Int32Array, low: number, high: number): number {
  const mask = places.length - 2;
  let place = (foldHash(low) << 1) & mask;
  while (places[place + 1] !== 0 && (places[place] !== low || places[place + 1] !== high)) {
    place = (place + 2) & mask;
  }
  return place;
}
