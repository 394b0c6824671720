import type { Clock, IdSource, SessionStore } from '@throughline/ports';

/** A clock that stands still until the test moves it. */
export interface ScriptedClock extends Clock {
  advance(ms: number): void;
}

export function scriptedClock(): ScriptedClock {
  let nowMs = 1_700_000_000_000;
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) };
}

export function countingIds(): IdSource {
  let count = 0;
  return { nextId: (kind) => `${kind}-${(count += 1)}` };
}

/** A store under test. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: SessionStore;
  readonly clock: ScriptedClock;
  /** The same data through another handle: another process, as far as the data is concerned. */
  again(): Promise<SessionStore>;
  /** Names of all blobs that are there. */
  blobs(): Promise<readonly string[]>;
}

export type OpenStore = () => Promise<OpenedStore>;
