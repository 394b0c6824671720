import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ModelDriver, SessionStore } from '@throughline/ports';

/** What a process would leave that dies here. */
export interface Remains {
  /** What was to be done next: each moment that found the disk like this. */
  readonly at: string[];
  readonly folder: string;
  /** Messages of which the sender was told by then that they are accepted. */
  readonly told: readonly string[];
}

export interface KillPoints {
  readonly remains: readonly Remains[];
  /** Keeps what is on the disk now, unless nothing has changed since the last time. */
  readonly look: (at: string) => void;
  readonly tell: (id: string) => void;
  /** The same store; a look before and after each call of it. */
  readonly watchStore: (store: SessionStore) => SessionStore;
  /** The same driver; a look before each event. */
  readonly watchDriver: (driver: ModelDriver) => ModelDriver;
}

const files = ['sessions.db', 'sessions.db-wal', 'journal.txt'];

/**
 * Keeps a copy of the files at every moment in which a process can die and leave something else than a moment before.
 * The system has all that was written, also what is on no disk yet: that is what a kill leaves.
 */
export function createKillPoints(folder: string, into: string): KillPoints {
  const remains: Remains[] = [];
  const told: string[] = [];
  let last = '';
  const look = (at: string): void => {
    const hash = createHash('sha256');
    for (const name of files)
      if (existsSync(join(folder, name))) hash.update(readFileSync(join(folder, name)));
    const now = hash.update(told.join()).digest('hex');
    if (now === last) {
      remains.at(-1)?.at.push(at);
      return;
    }
    last = now;
    const kept = join(into, String(remains.length));
    mkdirSync(kept);
    for (const name of files) {
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(kept, name));
    }
    remains.push({ at: [at], folder: kept, told: [...told] });
  };
  const watch = <Target extends object>(target: Target, path: string): Target =>
    new Proxy(target, {
      get(of, key) {
        const value: unknown = Reflect.get(of, key, of);
        const name = `${path}.${String(key)}`;
        if (typeof value === 'function') {
          return (...args: unknown[]): unknown => {
            look(`before ${name}`);
            const result: unknown = Reflect.apply(value as (...given: unknown[]) => unknown, of, args);
            if (!(result instanceof Promise)) return result;
            return result.finally(() => look(`after ${name}`));
          };
        }
        return typeof value === 'object' && value !== null ? watch(value, name) : value;
      },
    });
  return {
    remains,
    look,
    tell: (id) => void told.push(id),
    watchStore: (store) => watch(store, 'store'),
    watchDriver: (driver) => ({ ...driver, stream: (...args) => watched(driver.stream(...args), look) }),
  };
}

async function* watched<Event extends { readonly type: string }>(
  events: AsyncIterable<Event>,
  look: (at: string) => void,
): AsyncGenerator<Event, void, undefined> {
  look('before the request');
  for await (const event of events) {
    look(`before ${event.type}`);
    yield event;
  }
}
