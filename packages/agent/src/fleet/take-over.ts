import type { SessionStore, UnfinishedSession } from '@throughline/ports';
import type { RunOutcome } from '@throughline/protocol/types';

/** Messages that nobody has taken for so long are of a process that has died or stopped. */
const waitingForMs = 2_000;
/** The others of the fleet take the rest. */
const mostAtOnce = 4;
/** A session that could not be gone on with is left alone for so many looks. */
const pauseLooks = 30;

interface Passed {
  readonly lastEventSeq: number;
  /** Looks until it is tried again. */
  left: number;
}

/** What takes a session up; whether it did. */
type TakeUp = (sessionId: string) => Promise<boolean>;

/** Finds sessions whose processes have died or stopped, and has them taken up: a few at each look. */
export class TakeOver {
  readonly #store: SessionStore;
  readonly #takeUp: TakeUp;
  /** Sessions that are held, or that could not be taken up, as they were then. */
  readonly #passed = new Map<string, Passed>();

  constructor(store: SessionStore, takeUp: TakeUp) {
    this.#store = store;
    this.#takeUp = takeUp;
  }

  /** The sessions that were taken up. */
  async look(): Promise<readonly string[]> {
    const found = await this.#store.journal.abandoned({ waitingForMs });
    this.#forget(new Set(found.map(({ sessionId }) => sessionId)));
    const wanted = shuffled(found.filter((one) => !this.#isPassed(one)));
    const taken: string[] = [];
    for (const { sessionId, lastEventSeq } of wanted) {
      if (taken.length >= mostAtOnce) break;
      const isWaiting = await waitsForUser(this.#store, sessionId);
      this.#passed.set(sessionId, { lastEventSeq, left: isWaiting ? Infinity : pauseLooks });
      if (!isWaiting && (await this.#takeUp(sessionId))) taken.push(sessionId);
    }
    return taken;
  }

  #isPassed({ sessionId, lastEventSeq }: UnfinishedSession): boolean {
    const passed = this.#passed.get(sessionId);
    if (passed?.lastEventSeq !== lastEventSeq) return false;
    passed.left -= 1;
    return passed.left > 0;
  }

  #forget(found: ReadonlySet<string>): void {
    for (const sessionId of this.#passed.keys()) if (!found.has(sessionId)) this.#passed.delete(sessionId);
  }
}

/** After a cancel or an error nothing goes on by itself. */
export async function waitsForUser(store: SessionStore, sessionId: string): Promise<boolean> {
  const [last] = await store.journal.runs(sessionId, { limit: 1 });
  const outcome = last?.outcome as RunOutcome | null | undefined;
  return last !== undefined && last.endedAtMs !== null && outcome?.type !== 'completed';
}

/** Nodes that look at the same time begin with different ones. */
function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
