import { AskedFacts } from './asked-facts.ts';
import { FactTable } from './fact-table.ts';
import type { CollectedFact } from './fact-table.ts';

/** Facts in their order, the most useful one first. */
export class Ranking {
  /** What a JIT compiler knows of a class goes with its last object: one always lives. */
  static readonly kept = new Ranking(new FactTable(), new Uint32Array(0));

  /** Tells the texts that may be among them from others. */
  readonly asked = new AskedFacts();
  readonly #table: FactTable;
  readonly #best: Uint32Array;

  constructor(table: FactTable, best: Uint32Array) {
    this.#table = table;
    this.#best = best;
    for (const index of best) this.asked.add(table.hashOf(index));
  }

  /** The fact at that place, from 0; `undefined` behind the last. */
  at(rank: number): CollectedFact | undefined {
    return rank < this.#best.length ? this.#table.at(this.#best[rank] ?? 0) : undefined;
  }
}
