import { describe, expect, it } from 'vitest';
import { begin, codeOf, leaseOf, ttlMs } from './test-store.ts';
import type { SessionStore, SettingsStore } from '@throughline/ports';
import type { OpenStore } from './test-store.ts';

/** What several processes on one store know of each other. */
export function describeFleet(name: string, open: OpenStore): void {
  describe(`${name}: several processes`, () => {
    it('says what has become of a lease', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const other = await opened.again();
      const { id, lease } = await begin(store);
      expect(await store.leases.look(lease)).toBe('good');
      clock.advance(ttlMs);
      expect(await store.leases.look(lease)).toBe('expired');
      expect(await store.leases.renew(lease, ttlMs)).toBeDefined();
      expect(await store.leases.look(lease)).toBe('good');
      clock.advance(ttlMs);
      const next = await leaseOf(other, id);
      expect(await store.leases.look(lease)).toBe('void');
      expect(await store.leases.renew(lease, ttlMs)).toBeUndefined();
      expect(await other.leases.look(next)).toBe('good');
      await store.sessions.delete(id);
      expect(await other.leases.look(next)).toBe('void');
    });

    it('asks the run of now to cancel, and no later one', async () => {
      const opened = await open();
      const { store } = opened;
      const other = await opened.again();
      const { id, lease } = await begin(store);
      expect(await other.leases.cancel(id)).toBe(true);
      expect(await store.leases.look(lease)).toBe('cancel');
      // It may still write down how it ends.
      await store.write(lease, [{ type: 'status', status: 'idle' }]);
      await store.leases.release(lease);
      expect(await other.leases.cancel(id)).toBe(false);
      const next = await leaseOf(store, id);
      expect(await store.leases.look(next)).toBe('good');
      expect(await codeOf(other.leases.cancel('nobody'))).toBe('not-found');
    });

    it('finds what nobody works on any more', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store, 'run');
      const idsOf = async (from: SessionStore, waitingForMs = 0) =>
        (await from.journal.abandoned({ waitingForMs })).map(({ sessionId }) => sessionId).toSorted();
      await store.write(lease, [
        { type: 'run-started', runId: 'r' },
        { type: 'event', event: { type: 'x', data: null } },
      ]);
      await store.sessions.create({ id: 'waits' });
      await store.sessions.create({ id: 'idle' });
      await store.inbox.accept('waits', { content: 'to do' });
      expect(await idsOf(store)).toEqual(['waits']);
      expect(await idsOf(store, 2_000)).toEqual([]);
      clock.advance(2_000);
      const other = await opened.again();
      expect(await idsOf(other, 2_000)).toEqual(['waits']);
      clock.advance(ttlMs);
      expect(await idsOf(other, 2_000)).toEqual(['run', 'waits']);
      expect(await other.journal.abandoned({ waitingForMs: 0 })).toContainEqual({
        sessionId: id,
        hasOpenRun: true,
        hasWaiting: false,
        leasedUntilMs: null,
        lastEventSeq: 1,
      });
      // Handed on by a process that stops.
      const next = await leaseOf(other, id);
      expect(await idsOf(store)).toEqual(['waits']);
      await other.leases.release(next);
      expect(await idsOf(store)).toEqual(['run', 'waits']);
    });

    it('knows in which sessions something was stored, and what is older than a time', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const other = await opened.again();
      for (const id of ['a', 'b']) await store.sessions.create({ id });
      await store.journal.append('a', [{ type: 'x', data: 1 }]);
      clock.advance(1_000);
      const { asOfMs, sessions } = await other.journal.changed();
      expect([asOfMs, sessions]).toEqual([clock.nowMs(), []]);
      await store.journal.append('b', [
        { type: 'x', data: 1 },
        { type: 'x', data: 2 },
      ]);
      expect((await other.journal.changed(asOfMs)).sessions).toEqual([{ sessionId: 'b', lastEventSeq: 2 }]);
      expect((await other.journal.changed(asOfMs - 1_000)).sessions).toHaveLength(2);
      expect(await other.journal.seqBefore('a', asOfMs)).toBe(1);
      expect(await other.journal.seqBefore('b', asOfMs)).toBe(0);
      expect(await other.journal.seqBefore('b', asOfMs + 1)).toBe(2);
    });
  });

  describe(`${name}: settings`, () => {
    const openSettings = async (
      skip: () => void,
    ): Promise<{ settings: SettingsStore; again: () => Promise<SettingsStore> }> => {
      const opened = await open();
      if (!opened.store.settings) skip();
      const settingsOf = ({ settings }: { settings?: SettingsStore }): SettingsStore =>
        settings ?? expect.unreachable('It has `settings`.');
      return { settings: settingsOf(opened.store), again: async () => settingsOf(await opened.again()) };
    };

    it('are there again in another process, word for word, and none are where none were kept', async ({
      skip,
    }) => {
      const { settings, again } = await openSettings(skip);
      expect(await settings.read()).toBeNull();
      const value = { model: { name: 'demo' }, budget: { target: 0.5 }, 'ä "\\': [null, true, '日本語'] };
      expect(await settings.keep(0, value)).toEqual({ revision: 1, settings: value });
      const other = await again();
      expect(await other.read()).toEqual({ revision: 1, settings: value });
      expect(await other.keep(1, {})).toEqual({ revision: 2, settings: {} });
      expect(await settings.read()).toEqual({ revision: 2, settings: {} });
    });

    it('are left as they are where somebody else was faster', async ({ skip }) => {
      const { settings, again } = await openSettings(skip);
      const other = await again();
      await settings.keep(0, { by: 'one' });
      expect(await other.keep(0, { by: 'another' })).toBeNull();
      await settings.keep(1, { by: 'one again' });
      expect(await other.keep(1, { by: 'another' })).toBeNull();
      expect(await other.keep(3, { by: 'another' })).toBeNull();
      expect(await other.read()).toEqual({ revision: 2, settings: { by: 'one again' } });
    });

    it('are taken from one of several who keep some at once', async ({ skip }) => {
      const { settings, again } = await openSettings(skip);
      const other = await again();
      for (const revision of [0, 1, 2]) {
        const kept = await Promise.all(
          [settings, other, settings, other].map((one, by) => one.keep(revision, { by })),
        );
        const winners = kept.filter((one) => one !== null);
        expect(winners).toHaveLength(1);
        expect(await settings.read()).toEqual(winners[0]);
      }
    });
  });
}
