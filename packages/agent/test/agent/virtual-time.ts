import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock, Timer } from '@throughline/ports';

interface Wait {
  readonly dueMs: number;
  readonly resolve: (how: 'elapsed' | 'aborted') => void;
}

/** Time that passes only when a test says so. */
export interface VirtualTime extends Clock, Timer {
  /** Lets so much time pass: waits end in their order, and whoever waited goes on before the next one ends. */
  advance(ms: number): Promise<void>;
  /** Waits that nobody has ended yet. */
  readonly pending: number;
}

export function createVirtualTime(startMs = 1_700_000_000_000): VirtualTime {
  let nowMs = startMs;
  const waits = new Set<Wait>();
  const nextDue = (untilMs: number): Wait | undefined =>
    [...waits].filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
  return {
    nowMs: () => nowMs,
    get pending() {
      return waits.size;
    },
    wait(delayMs, signal) {
      if (signal?.aborted === true) return Promise.resolve('aborted');
      const { promise, resolve } = Promise.withResolvers<'elapsed' | 'aborted'>();
      const onAbort = (): void => wait.resolve('aborted');
      const wait: Wait = {
        dueMs: nowMs + delayMs,
        resolve: (how) => {
          waits.delete(wait);
          signal?.removeEventListener('abort', onAbort);
          resolve(how);
        },
      };
      waits.add(wait);
      signal?.addEventListener('abort', onAbort, { once: true });
      return promise;
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await rest();
      for (let wait = nextDue(untilMs); wait; wait = nextDue(untilMs)) {
        nowMs = Math.max(nowMs, wait.dueMs);
        wait.resolve('elapsed');
        await rest();
      }
      nowMs = untilMs;
    },
  };
}

/** Everything that can go on without time goes on. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await giveWay();
}

/** Goes on once it holds; fails when nothing moves any more. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (holds()) return;
    await giveWay();
  }
  throw new Error(`It never came to: ${holds.toString()}`);
}

/** What the promise gives, with time passing for as long as it takes. */
export async function whileTimePasses<Value>(time: VirtualTime, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = promise.finally(() => (isOver = true));
  over.catch(() => undefined);
  for (;;) {
    await rest();
    if (isOver) return await over;
    if (time.pending > 0) await time.advance(1_000);
  }
}
