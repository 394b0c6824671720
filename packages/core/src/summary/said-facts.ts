import { leastPartChars, segmentsOf } from './fact-parts.ts';

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

  /** The fact at `[start, end)` of a text, and every part of it between separators: `config.ts` in `src/config.ts`. */
  add(text: string, start: number, end: number): void {
    this.#begin();
    this.#hash(text, start, end);
    this.#put();
    const { starts, ends } = segmentsOf(text, start, end);
    for (const from of starts) this.#addParts(text, from, ends);
  }

  /** Whether the text from `start` on is one of them, or a part of one. */
  has(text: string, start: number): boolean {
    if (this.#size === 0) return false;
    this.#begin();
    this.#hash(text, start, text.length);
    return this.#places[this.#place() + 1] !== 0;
  }

  /** All parts with one start: the hash of each is on the way to that of the next. */
  #addParts(text: string, start: number, ends: readonly number[]): void {
    this.#begin();
    let from = start;
    for (const end of ends) {
      if (end <= start) continue;
      this.#hash(text, from, end);
      from = end;
      if (end - start >= leastPartChars) this.#put();
    }
  }

  #begin(): void {
    this.#low = 0x11c9dc5;
    this.#high = 0x2545f491;
  }

  #hash(text: string, start: number, end: number): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = start; index < end; index++) {
      const code = text.charCodeAt(index);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) + 1;
    }
    this.#low = low;
    this.#high = high | 0;
  }

  #put(): void {
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
  let place = ((low ^ (low >>> 15)) << 1) & mask;
  while (places[place + 1] !== 0 && (places[place] !== low || places[place + 1] !== high)) {
    place = (place + 2) & mask;
  }
  return place;
}
