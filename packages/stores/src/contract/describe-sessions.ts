import { describe, expect, it } from 'vitest';
import { userMessage } from './compacted-session.ts';
import { begin, leaseOf, message, linesOf, codeOf, ttlMs } from './test-store.ts';
import type { OpenStore } from './test-store.ts';

/** Sessions, and who may work on them. */
export function describeSessions(name: string, open: OpenStore): void {
  describe(`${name}: sessions`, () => {
    it('are created, read, renamed and listed, the one touched last first', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const first = await store.sessions.create({ title: 'one', owner: 'ada', folder: '/work', model: 'm' });
      clock.advance(1);
      const second = await store.sessions.create({ owner: 'bob' });
      clock.advance(1);
      const told = [{ type: 'session:updated', data: { title: 'renamed' } }];
      const events = await store.sessions.rename(first.id, 'renamed', told);
      expect(events).toMatchObject(told);
      expect(await store.journal.after(first.id, 0)).toEqual(events);
      expect(await store.sessions.read(first.id)).toMatchObject({
        title: 'renamed',
        owner: 'ada',
        folder: '/work',
        model: 'm',
        status: 'idle',
        messageCount: 0,
        compactionCount: 0,
      });
      expect((await store.sessions.list()).items.map(({ id }) => id)).toEqual([first.id, second.id]);
      expect((await store.sessions.list({ owner: 'bob' })).items.map(({ id }) => id)).toEqual([second.id]);
      expect((await store.sessions.list({ folder: '/work' })).items.map(({ id }) => id)).toEqual([first.id]);
      expect((await store.sessions.list({ folder: '' })).items.map(({ id }) => id)).toEqual([second.id]);
    });

    it('are listed in pages without gap or double, also where many were touched in one millisecond', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const ids: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        ids.push((await store.sessions.create()).id);
        if (index % 3 === 0) clock.advance(1);
      }
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await store.sessions.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next;
      }
      expect(seen).toEqual(ids.toReversed());
    });

    it('are refused under an id that is taken, and named where there is none', async () => {
      const opened = await open();
      const { store } = opened;
      await store.sessions.create({ id: 's' });
      expect(await codeOf(store.sessions.create({ id: 's' }))).toBe('already-exists');
      const attempts = [
        store.sessions.read('x'),
        store.sessions.rename('x', 't'),
        store.history.context('x'),
        store.history.search('x', 'q'),
        store.inbox.accept('x', { content: 'c' }),
        store.inbox.waiting('x'),
        store.journal.append('x', []),
        store.approvals.list('x'),
        store.attachments.keep('x', new Uint8Array([1])),
        store.leases.acquire('x', 'o', 1),
        linesOf(store, 'x'),
      ];
      const codes = await Promise.all(attempts.map(codeOf));
      expect(codes).toEqual(attempts.map(() => 'not-found'));
    });

    it('are idle unless somebody holds their lease', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      const status = async (): Promise<string> => (await store.sessions.read(id)).status;
      expect(await status()).toBe('running');
      await store.write(lease, [{ type: 'status', status: 'compacting' }]);
      await store.leases.renew(lease, ttlMs);
      expect(await status()).toBe('compacting');
      clock.advance(ttlMs);
      expect(await status()).toBe('idle');
      expect((await store.sessions.list()).items).toMatchObject([{ status: 'idle' }]);
      await leaseOf(store, id);
      expect(await status()).toBe('running');
    });

    it('and messages take no cursor but their own', async () => {
      const opened = await open();
      const { store } = opened;
      const { id } = await begin(store);
      for (const cursor of ['', 'x', '1.x', '-1', '1e9', '٣'])
        for (const attempt of [store.sessions.list({ cursor }), store.history.page(id, { cursor })])
          expect(await codeOf(attempt)).toBe('invalid-option');
    });

    it('leave nothing behind when they are deleted, and nothing of others goes with them', async () => {
      const opened = await open();
      const { store } = opened;
      const one = await begin(store, 'one');
      const two = await begin(store, 'two');
      const shared = await store.attachments.keep('one', new Uint8Array([1, 2, 3]));
      expect(await store.attachments.keep('two', new Uint8Array([1, 2, 3]))).toBe(shared);
      const own = await store.attachments.keep('one', new Uint8Array([9]));
      await store.write(one.lease, [message(userMessage('u', 'needle in one'))]);
      await store.write(two.lease, [message(userMessage('u', 'needle in two'))]);
      expect((await opened.blobs()).toSorted()).toEqual([shared, own].toSorted());

      expect(await store.sessions.delete('one')).toBe(true);
      expect(await store.sessions.delete('one')).toBe(false);
      expect(await opened.blobs()).toEqual([shared]);
      expect(await codeOf(store.write(one.lease, []))).toBe('lease-lost');
      expect((await store.history.search('two', 'needle')).map(({ excerpt }) => excerpt)).toEqual([
        'needle in two',
      ]);
      // A new session does not inherit what the index held.
      await begin(store, 'three');
      expect(await store.history.search('three', 'needle')).toEqual([]);
      await store.sessions.delete('two');
      expect(await opened.blobs()).toEqual([]);
    });
  });

  describe(`${name}: leases`, () => {
    it('refuse what an older one wants to store, and nothing of it is stored', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      clock.advance(ttlMs);
      // Expired, but nobody else has come.
      await store.write(lease, [message(userMessage('a', 'a'))]);
      const next = await leaseOf(store, id);
      const late = store.write(lease, [message(userMessage('b', 'b'))]);
      await expect(late).rejects.toMatchObject({
        code: 'lease-lost',
        details: { sessionId: id, epoch: 1, currentEpoch: 2 },
      });
      expect(await store.leases.renew(lease, ttlMs)).toBeUndefined();
      expect(await store.leases.release(lease)).toBe(false);
      await store.write(next, [message(userMessage('c', 'c'))]);
      expect(await store.leases.release(next)).toBe(true);
      expect(await codeOf(store.write(next, []))).toBe('lease-lost');
      expect((await store.sessions.read(id)).messageCount).toBe(2);
    });
  });
}
