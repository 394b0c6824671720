import { foldHash, lowHash, lowSeed } from './fact-hash.ts';

const bits = 1 << 16;

/**
 * The facts that will be asked about, a few bits of each: what is none of them need not be noted down. One text in ten
 * that is none is taken for one.
 */
export class AskedFacts {
  /** What a JIT compiler knows of a class goes with its last object: one always lives. */
  static readonly kept = new AskedFacts();

  readonly #bytes = new Uint8Array(bits / 8);

  /** Adds a text from `start` on. */
  addText(text: string, start: number): void {
    let low = lowSeed;
    for (let index = start; index < text.length; index++) low = lowHash(low, text.charCodeAt(index));
    this.add(low);
  }

  /** Adds the text with this hash (see `fact-hash.ts`). */
  add(low: number): void {
    const bit = foldHash(low) & (bits - 1);
    this.#bytes[bit >> 3] = (this.#bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  mayHave(low: number): boolean {
    const bit = foldHash(low) & (bits - 1);
    return (((this.#bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
}
