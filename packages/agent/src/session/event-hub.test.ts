import { everyCase } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { EventHub } from './event-hub.ts';
import { setImmediate as giveWay } from 'node:timers/promises';
import fc from 'fast-check';
import type { Journal, StoredEvent } from '@throughline/ports';

/** A journal in which processes store events, and what its readers have to wait for. */
interface TestJournal {
  readonly journal: Journal;
  readonly events: readonly StoredEvent[];
  readonly store: (count: number) => readonly StoredEvent[];
  /** The next reading fails. */
  readonly failOnce: () => void;
  /** How often it was read. */
  readonly readings: () => number;
}

function openJournal(): TestJournal {
  const events: StoredEvent[] = [];
  let [fails, readings] = [false, 0];
  const after = async (_: string, seq: number, limit = Infinity): Promise<readonly StoredEvent[]> => {
    readings += 1;
    // As it is when it is asked, however long the answer takes.
    const page = events.slice(seq, seq + limit);
    await giveWay();
    const isFailing = fails;
    fails = false;
    if (isFailing) throw new Error('the store is away');
    return page;
  };
  return {
    journal: { after } as Partial<Journal> as Journal,
    events,
    store: (count) => {
      const added = Array.from({ length: count }, (_, index): StoredEvent => {
        const seq = events.length + index + 1;
        return { seq, type: 'session:updated', data: { title: `${seq}` }, runId: null, atMs: seq };
      });
      events.push(...added);
      return added;
    },
    failOnce: () => void (fails = true),
    readings: () => readings,
  };
}

/** As long as pages of a journal that is behind take to read. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await giveWay();
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('EventHub', () => {
  it.each([0, 1, 499, 500, 501, 1_000, 1_300])(
    'tells a reader that is %i events behind each of them once, and what comes then',
    async (behind) => {
      const { journal, events, store } = openJournal();
      const hub = new EventHub(journal, 's');
      const controller = new AbortController();
      const told: number[] = [];
      store(7 + behind);
      const read = async (): Promise<void> => {
        for await (const { seq } of hub.events({ after: 7, signal: controller.signal })) {
          told.push(seq);
          // Somebody stores in the middle of it.
          if (told.length === 3) hub.publish(store(600));
        }
      };
      const reading = read();
      await rest();
      for (let more = 0; more < 3; more += 1) hub.publish(store(1));
      await rest();
      controller.abort();
      await reading;
      expect(told).toEqual(numbers(8, events.length));
    },
  );

  it('does not look into the journal where nothing is new', async () => {
    const { journal, store, readings } = openJournal();
    const hub = new EventHub(journal, 's');
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      for await (const _ of hub.events({ signal: controller.signal }));
    };
    const reading = read();
    hub.publish(store(1));
    await rest();
    const before = readings();
    await rest();
    expect(readings()).toBe(before);
    controller.abort();
    await reading;
  });

  it('tells who follows a store of several processes every event once and in order, however far it is behind', async () => {
    const seen = { behind: 0, late: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 3 }), async (drawn, before) => {
        const follower = await followerOf(drawn, before);
        seen.behind = Math.max(seen.behind, follower.mostBehind);
        seen.late += follower.late.length;
        seen.failed += follower.hasFailed ? 1 : 0;
        const { told, since, last } = follower;
        expect(told.filter((seq) => seq > since)).toEqual(numbers(since + 1, last));
        // Stored here when others were asked how far the store is, and told to be so only then.
        expect(told.filter((seq) => seq <= since)).toEqual(follower.late);
      }),
      { numRuns: 100, plugins: [everyCase] },
    );
    expect(seen.behind).toBeGreaterThan(1_000);
    expect(seen.late).toBeGreaterThan(3);
    expect(seen.failed).toBeGreaterThan(10);
  });
});

interface Step {
  readonly does: 'own' | 'other' | 'store' | 'publish' | 'news' | 'wait' | 'fail';
  readonly count: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    does: fc.constantFrom('own', 'other', 'store', 'publish', 'news', 'wait', 'fail'),
    count: fc.constantFrom(1, 2, 499, 500, 501, 1_000, 1_200),
  }),
  { minLength: 1, maxLength: 14 },
);

interface Follower {
  readonly told: readonly number[];
  /** The newest that was stored when the store was asked how far it is. */
  readonly since: number;
  readonly last: number;
  /** Own ones up to that one that were published afterwards. */
  readonly late: readonly number[];
  readonly mostBehind: number;
  readonly hasFailed: boolean;
}

/** What somebody is told who begins to follow with so many events, while this and that is stored. */
async function followerOf(drawn: readonly Step[], before: number): Promise<Follower> {
  const { journal, events, store, failOnce } = openJournal();
  store(before);
  const hub = new EventHub(journal, 's');
  const told: number[] = [];
  let since = before;
  let [mostBehind, hasFailed, isUntold] = [0, false, false];
  hub.subscribe(({ seq }) => told.push(seq));
  let unpublished: readonly StoredEvent[] = [];
  const published: number[] = [];
  hub.follow(async () => {
    await giveWay();
    await giveWay();
    const own = published.map((seq) => seq - 1).slice(0, 1);
    since = Math.min(events.length, ...own);
    return events.length;
  });
  const publish = (some: readonly StoredEvent[]): void => {
    published.push(...some.map(({ seq }) => seq));
    hub.publish(some);
  };
  const publishAll = (): void => {
    publish(unpublished);
    unpublished = [];
  };
  const does: Readonly<Record<Step['does'], (count: number) => unknown>> = {
    own: (count) => {
      publishAll();
      publish(store(count));
    },
    other: (count) => {
      isUntold = true;
      store(count);
    },
    store: (count) => void (unpublished = [...unpublished, ...store(count)]),
    publish: publishAll,
    news: () => {
      isUntold = false;
      hub.onNews(events.length);
    },
    wait: rest,
    fail: () => {
      hasFailed = true;
      failOnce();
    },
  };
  for (const { does: what, count } of drawn) {
    await does[what](count);
    await giveWay();
    mostBehind = Math.max(mostBehind, events.length - (told.at(-1) ?? before));
  }
  await rest();
  publishAll();
  if (isUntold) hub.onNews(events.length);
  await rest();
  // What the store did not tell is asked for with any news.
  for (let news = 0; hasFailed && news < 2; news += 1) {
    hub.onNews(before);
    await rest();
  }
  return {
    told,
    since,
    last: events.length,
    late: published.filter((seq) => seq <= since),
    mostBehind,
    hasFailed,
  };
}
