import { setImmediate as giveWay } from 'node:timers/promises';

/** What waits holds the texts of requests; nothing is lost for good where one is left out: a later one stores the rest. */
const mostWaiting = 1_000;
const mostCharacters = 64_000_000;

/** Work that nobody waits for, one after the other in the order in which it came. */
export class Behind {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #characters = 0;

  /**
   * @param characters what it holds in memory until it is done
   * @returns `false` where too much waits already, and it is left out
   */
  add(characters: number, work: () => Promise<void>): boolean {
    if (this.#waiting >= mostWaiting || (this.#waiting > 0 && this.#characters + characters > mostCharacters))
      return false;
    this.#waiting += 1;
    this.#characters += characters;
    this.#tail = this.#tail.then(async () => {
      await giveWay();
      await work().catch(() => undefined);
      this.#waiting -= 1;
      this.#characters -= characters;
    });
    return true;
  }

  /** Resolves when all that waits now is done. */
  async done(): Promise<void> {
    await this.#tail;
  }
}
