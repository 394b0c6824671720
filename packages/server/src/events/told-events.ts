import { randomUUID } from 'node:crypto';

/** An event by its name: what it says is in the journal. */
export interface ToldEvent {
  readonly sessionId: string;
  readonly seq: number;
}

/** Names that are kept for readers who come back or are slow, at the least. */
const leastKept = 20_000;

/**
 * In which order this process was told of the events of all sessions. Each gets a number; the newest are kept by name,
 * so that a reader goes on behind any of them, at a cost that does not grow.
 */
export class ToldEvents {
  /** Another process counts anew. */
  readonly #epoch = randomUUID().slice(0, 8);
  #names: ToldEvent[] = [];
  /** Names that were dropped before the first one that is kept. */
  #dropped = 0;

  /** The number of the newest; 0 before the first. */
  get last(): number {
    return this.#dropped + this.#names.length;
  }

  take(sessionId: string, { seq }: { readonly seq: number }): void {
    this.#names.push({ sessionId, seq });
    if (this.#names.length < 2 * leastKept) return;
    this.#names = this.#names.slice(leastKept);
    this.#dropped += leastKept;
  }

  /** Those behind a number, oldest first; `undefined` where some of them are kept no more. */
  after(number: number, limit: number): readonly ToldEvent[] | undefined {
    if (number < this.#dropped) return undefined;
    return this.#names.slice(number - this.#dropped, number - this.#dropped + limit);
  }

  /** The number as clients have it. */
  idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  /** The number in an id; `'foreign'` of one that another process gave, `undefined` of what is none. */
  read(id: string): number | 'foreign' | undefined {
    const [, epoch, digits] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? [];
    if (digits === undefined) return undefined;
    if (epoch !== this.#epoch) return 'foreign';
    return Number(digits) <= this.last ? Number(digits) : undefined;
  }
}
