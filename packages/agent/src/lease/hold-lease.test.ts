import { openMemoryStore } from '@throughline/stores';
import { expect, it } from 'vitest';
import { createVirtualTime, rest } from '../../test/agent/virtual-time.ts';
import { holdLease } from './hold-lease.ts';
import type { Leases, SessionStore } from '@throughline/ports';
import type { HeldLease, HoldLeaseOptions } from './hold-lease.ts';

async function open(change: (leases: Leases) => Partial<Leases> = () => ({})) {
  const time = createVirtualTime();
  let count = 0;
  const store = await openMemoryStore({ clock: time, ids: { nextId: (kind) => `${kind}${(count += 1)}` } });
  const { id: sessionId } = await store.sessions.create();
  let lost = 0;
  const changed: SessionStore = { ...store, leases: { ...store.leases, ...change(store.leases) } };
  const hold = (more: Partial<HoldLeaseOptions> = {}): Promise<HeldLease | undefined> =>
    holdLease({
      store: changed,
      timer: time,
      sessionId,
      owner: 'one',
      ttlMs: 9_000,
      onLost: () => (lost += 1),
      onCancel: () => {},
      ...more,
    });
  return { time, store, sessionId, hold, lost: () => lost };
}

it('keeps the session for as long as it is held, and gives it back', async () => {
  const { time, hold, lost, store, sessionId } = await open();
  const lease = await hold();
  await time.advance(60_000);
  expect(await store.leases.acquire(sessionId, 'two', 1_000)).toBeUndefined();
  expect(lost()).toBe(0);
  await lease?.[Symbol.asyncDispose]();
  expect(time.pending).toBe(0);
  expect(await store.leases.acquire(sessionId, 'two', 1_000)).toBeDefined();
});

it('is not to be had while another holds the session', async () => {
  const { hold, store, sessionId } = await open();
  await store.leases.acquire(sessionId, 'two', 1_000);
  expect(await hold()).toBeUndefined();
});

it('says that it is lost when another has taken the session over', async () => {
  const { time, hold, lost } = await open(() => ({ renew: () => Promise.resolve(undefined) }));
  await using lease = await hold();
  await time.advance(3_000);
  expect(lost()).toBe(1);
  expect(lease?.current.owner).toBe('one');
});

it('asks a store that fails once more before it gives up', async () => {
  let isDown = true;
  const { time, hold, lost } = await open((leases) => ({
    renew: (...args) => (isDown ? Promise.reject(new Error('busy')) : leases.renew(...args)),
  }));
  await using _ = await hold();
  await time.advance(3_000);
  expect(lost()).toBe(0);
  isDown = false;
  await time.advance(3_000);
  isDown = true;
  await time.advance(3_000);
  expect(lost()).toBe(0);
  await time.advance(3_000);
  await rest();
  expect(lost()).toBe(1);
});
