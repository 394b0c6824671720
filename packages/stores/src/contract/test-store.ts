import { ContextError } from '@throughline/core';
import { onTestFinished } from 'vitest';
import type { SessionMessage } from '@throughline/core/codec';
import type { Clock, IdSource, Lease, RunWrite, SessionStore, StoredMessage } from '@throughline/ports';

/** A clock that stands still until the test moves it. */
export interface ScriptedClock extends Clock {
  advance(ms: number): void;
}

/** A clock that begins at 1 700 000 000 000 ms and moves only by `advance`. */
export function scriptedClock(): ScriptedClock {
  let nowMs = 1_700_000_000_000;
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) };
}

/** Ids that count up from 1 over all kinds: `session-1`, `message-2`. */
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

/** Opens a store for one test. */
export type OpenStore = () => Promise<OpenedStore>;

/** Opens a store for one test, and closes it behind it. */
export function closing(openStore: OpenStore): OpenStore {
  return async () => {
    const opened = await openStore();
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  };
}

/** Bytes as they are compared: a `Buffer` is as good as any other `Uint8Array`. */
export function plainBytes(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes instanceof Uint8Array ? Uint8Array.from(bytes) : bytes;
}

export const ttlMs = 10_000;

export async function begin(store: SessionStore, sessionId?: string): Promise<{ id: string; lease: Lease }> {
  const { id } = await store.sessions.create(sessionId === undefined ? {} : { id: sessionId });
  return { id, lease: await leaseOf(store, id) };
}

export async function leaseOf(store: SessionStore, sessionId: string): Promise<Lease> {
  const lease = await store.leases.acquire(sessionId, 'test', ttlMs);
  if (!lease) throw new Error('expected a lease');
  return lease;
}

export const message = (added: SessionMessage): RunWrite => ({ type: 'message', message: added });
export const messagesOf = (stored: readonly StoredMessage[]): readonly SessionMessage[] =>
  stored.map(({ message: one }) => one);

export async function linesOf(store: SessionStore, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.sessions.export(sessionId)) lines.push(line);
  return lines;
}

export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return ContextError.is(error) ? error.code : undefined;
}
