import { diffPrefixOf } from './fact-parts.ts';
import { foldHash, highHash, highSeed, lowHash, lowSeed } from './fact-hash.ts';
import type { FactKind } from './word-shape.ts';

/** A fact with what is known about its use. */
export interface CollectedFact {
  readonly text: string;
  readonly kind: FactKind;
  readonly mentions: number;
  /** Position of the message that mentioned it last. */
  readonly ordinal: number;
}

/** Numbered by their place. */
export const factKinds: readonly FactKind[] = [
  'path',
  'file',
  'url',
  'identifier',
  'ticket',
  'variable',
  'hash',
  'flag',
  'version',
  'name',
  'number',
];
const kindIndex = Object.fromEntries(factKinds.map((kind, index) => [kind, index])) as Record<
  FactKind,
  number
>;

/** Columns of a fact in the table of numbers. */
const columns = 8;
const START = 0;
/** Length in the upper bits; whether it begins as a path of a diff does; kind in the lower four. */
const SHAPE = 1;
const TEXT = 2;
const HASH = 3;
const CHECK = 4;
const MENTIONS = 5;
const WEIGHT = 6;
const ORDINAL = 7;

const diffPrefix = 16;
const lengthShift = 5;

/**
 * Facts by their text, without a string for each: a fact is a place in the text that mentioned it first. A fold of a
 * long session mentions millions; cutting each out and hashing it as a string took most of the time of a fold.
 * Open addressing over numbers; two texts are the same when two independent 32-bit hashes and the length are, so that
 * a look-up never goes back to the text. A fact's index is its rank by first mention.
 */
export class FactTable {
  #rows = new Int32Array(32 * columns);
  #slots = new Int32Array(128);
  #size = 0;
  readonly #texts: string[] = [];
  #text = '';
  #textIndex = -1;
  #ordinal = 0;
  #weight = 1;
  #low = 0;
  #high = 0;

  get size(): number {
    return this.#size;
  }

  /** The text that the next mentions are places in. */
  open(text: string, ordinal: number, weight: number): void {
    this.#text = text;
    this.#textIndex = -1;
    this.#ordinal = ordinal;
    this.#weight = weight;
  }

  mention(start: number, end: number, kind: FactKind): void {
    this.#hash(this.#text, start, end);
    const slot = this.#slotOf(end - start);
    const known = this.#slots[slot] ?? 0;
    if (known === 0) return this.#insert(slot, start, end, kind);
    const row = (known - 1) * columns;
    const rows = this.#rows;
    rows[row + MENTIONS] = (rows[row + MENTIONS] ?? 0) + 1;
    rows[row + WEIGHT] = (rows[row + WEIGHT] ?? 0) + this.#weight;
    rows[row + ORDINAL] = this.#ordinal;
  }

  indexOf(text: string): number {
    this.#hash(text, 0, text.length);
    return (this.#slots[this.#slotOf(text.length)] ?? 0) - 1;
  }

  kindOf(index: number): FactKind {
    return factKinds[this.kindNumberOf(index)] ?? 'number';
  }

  kindNumberOf(index: number): number {
    return (this.#rows[index * columns + SHAPE] ?? 0) & 15;
  }

  weightOf(index: number): number {
    return this.#rows[index * columns + WEIGHT] ?? 0;
  }

  /** Position of the message that was read last, and of the one that mentioned a fact last. */
  get newestOrdinal(): number {
    return this.#ordinal;
  }

  ordinalOf(index: number): number {
    return this.#rows[index * columns + ORDINAL] ?? 0;
  }

  lengthOf(index: number): number {
    return (this.#rows[index * columns + SHAPE] ?? 0) >> lengthShift;
  }

  /** The hash by which a fact is asked for (see `fact-hash.ts`), without what a diff writes in front of its path. */
  hashOf(index: number): number {
    const row = index * columns;
    // The texts are far apart: hardly one of them is looked at.
    if (((this.#rows[row + SHAPE] ?? 0) & diffPrefix) === 0) return this.#rows[row + HASH] ?? 0;
    const start = this.#rows[row + START] ?? 0;
    const text = this.#texts[this.#rows[row + TEXT] ?? 0] ?? '';
    this.#hash(text, start + diffPrefixOf(text, start), start + this.lengthOf(index));
    return this.#low;
  }

  at(index: number): CollectedFact {
    const row = index * columns;
    const text = this.#texts[this.#rows[row + TEXT] ?? 0] ?? '';
    const start = this.#rows[row + START] ?? 0;
    return {
      text: text.slice(start, start + this.lengthOf(index)),
      kind: this.kindOf(index),
      mentions: this.#rows[row + MENTIONS] ?? 0,
      ordinal: this.#rows[row + ORDINAL] ?? 0,
    };
  }

  /** A table of these facts only, in the order of their first mention. */
  keep(indexes: Uint32Array): FactTable {
    const kept = new FactTable();
    for (const index of indexes.toSorted((left, right) => left - right)) {
      const { text, kind, mentions, ordinal } = this.at(index);
      // A copy: the text it was cut from need not be held any longer.
      kept.open(` ${text}`.slice(1), ordinal, this.weightOf(index));
      kept.mention(0, text.length, kind);
      kept.#rows[(kept.#size - 1) * columns + MENTIONS] = mentions;
    }
    return kept;
  }

  #insert(slot: number, start: number, end: number, kind: FactKind): void {
    if (this.#textIndex < 0) this.#textIndex = this.#texts.push(this.#text) - 1;
    if ((this.#size + 1) * columns > this.#rows.length) this.#growRows();
    const rows = this.#rows;
    const row = this.#size * columns;
    rows[row + START] = start;
    const prefix = diffPrefixOf(this.#text, start) > 0 ? diffPrefix : 0;
    rows[row + SHAPE] = ((end - start) << lengthShift) | prefix | kindIndex[kind];
    rows[row + TEXT] = this.#textIndex;
    rows[row + HASH] = this.#low;
    rows[row + CHECK] = this.#high;
    rows[row + MENTIONS] = 1;
    rows[row + WEIGHT] = this.#weight;
    rows[row + ORDINAL] = this.#ordinal;
    this.#size++;
    this.#slots[slot] = this.#size;
    if (this.#size * 2 > this.#slots.length) this.#growSlots();
  }

  /** The slot of the fact that was hashed last: its own, or the free one it would take. */
  #slotOf(length: number): number {
    const slots = this.#slots;
    const rows = this.#rows;
    const mask = slots.length - 1;
    let slot = foldHash(this.#low) & mask;
    for (;;) {
      const known = slots[slot] ?? 0;
      if (known === 0) return slot;
      const row = (known - 1) * columns;
      if (
        rows[row + HASH] === this.#low &&
        rows[row + CHECK] === this.#high &&
        (rows[row + SHAPE] ?? 0) >> lengthShift === length
      ) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  #hash(text: string, start: number, end: number): void {
    let low = lowSeed;
    let high = highSeed;
    for (let index = start; index < end; index++) {
      const code = text.charCodeAt(index);
      low = lowHash(low, code);
      high = highHash(high, code);
    }
    this.#low = low;
    this.#high = high;
  }

  #growRows(): void {
    const rows = new Int32Array(this.#rows.length * 2);
    rows.set(this.#rows);
    this.#rows = rows;
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = foldHash(this.#rows[index * columns + HASH] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}
