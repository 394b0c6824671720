import { describe, expect, it } from 'vitest';
import { userMessage } from './compacted-session.ts';
import { begin, codeOf, leaseOf, linesOf, message } from './test-store.ts';
import type { SessionSearch, SessionStore } from '@throughline/ports';
import type { OpenStore } from './test-store.ts';

async function say(store: SessionStore, sessionId: string, ...texts: readonly string[]): Promise<void> {
  const lease = await leaseOf(store, sessionId);
  await store.write(
    lease,
    texts.map((text, index) => message(userMessage(`u${index}`, text))),
  );
  await store.leases.release(lease);
}

async function found(store: SessionStore, search: SessionSearch): Promise<readonly string[]> {
  const { items } = await store.sessions.search(search);
  return items.flatMap(({ session, hits }) => hits.map(({ id }) => `${session.id}:${id}`));
}

/** Many sessions of many owners: what is found in all of them, and what the bytes in them are. */
export function describeOwners(name: string, open: OpenStore): void {
  describe(`${name}: search over all sessions`, () => {
    it('finds where a text stands, the session touched last first, of one owner or folder only', async () => {
      const { store, clock } = await open();
      for (const [id, owner, folder] of [
        ['a', 'ada', '/one'],
        ['b', 'bob', '/one'],
        ['c', 'ada', '/two'],
        ['d', 'ada', '/one'],
      ] as const) {
        await store.sessions.create({ id, owner, folder, title: `title of ${id}` });
        clock.advance(1);
        await say(
          store,
          id,
          `hay and NEEDLE ${id}`,
          'hay',
          ...(id === 'c' ? ['needles', 'a needle', 'needle'] : []),
        );
        clock.advance(1);
      }
      await say(store, 'd');
      expect(await found(store, { query: 'needle' })).toEqual([
        'd:m0',
        'c:m4',
        'c:m3',
        'c:m2',
        'b:m0',
        'a:m0',
      ]);
      expect(await found(store, { query: 'needle', owner: 'ada', hitsPerSession: 1 })).toEqual([
        'd:m0',
        'c:m4',
        'a:m0',
      ]);
      expect(await found(store, { query: 'needle', owner: 'ada', folder: '/one' })).toEqual(['d:m0', 'a:m0']);
      expect(await found(store, { query: 'needle b', owner: 'ada' })).toEqual([]);
      // Too short for an index of trigrams.
      expect(await found(store, { query: 'D ', owner: 'ada', hitsPerSession: 1 })).toEqual([
        'd:m0',
        'c:m0',
        'a:m0',
      ]);
      expect(await found(store, { query: '' })).toEqual([]);
      const [first] = (await store.sessions.search({ query: 'needle', limit: 1 })).items;
      expect(first).toMatchObject({
        session: { id: 'd', title: 'title of d', owner: 'ada' },
        hits: [{ role: 'user', excerpt: 'hay and NEEDLE d' }],
      });
      expect(await found(store, { query: 'needle', updatedSinceMs: clock.nowMs() })).toEqual(['d:m0']);
    });

    it('comes in pages without gap or double', async () => {
      const { store, clock } = await open();
      const ids = Array.from({ length: 9 }, (_, index) => `s${index}`);
      for (const id of ids) {
        await store.sessions.create({ id });
        await say(store, id, Number(id.slice(1)) % 2 === 0 ? 'the needle' : 'hay');
        if (id !== 's4') clock.advance(1);
      }
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await store.sessions.search({
          query: 'needle',
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...page.items.map(({ session }) => session.id));
        cursor = page.next;
      }
      expect(seen).toEqual(['s8', 's6', 's4', 's2', 's0']);
      expect(await codeOf(store.sessions.search({ query: 'needle', cursor: 'x' }))).toBe('invalid-option');
    });

    it('finds nothing of a session that was deleted, nor what another has said under its key', async () => {
      const { store } = await open();
      await store.sessions.create({ id: 'a' });
      await say(store, 'a', 'the needle');
      await store.sessions.delete('a');
      await store.sessions.create({ id: 'b' });
      await say(store, 'b', 'hay');
      expect(await found(store, { query: 'needle' })).toEqual([]);
    });
  });

  describe(`${name}: owners and bytes`, () => {
    it('knows what bytes were said to be, in an export and a fork as well', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      const hash = await store.attachments.keep(id, new Uint8Array([1]), 'image/png');
      const unsaid = await store.attachments.keep(id, new Uint8Array([2]));
      // Who stores the same bytes again and says nothing takes nothing back.
      expect(await store.attachments.keep(id, new Uint8Array([1]))).toBe(hash);
      const source = { type: 'url', url: `@blob:${hash}` } as const;
      await store.write(lease, [
        message({ id: 'u', role: 'user', parts: [{ type: 'media', mediaType: 'image/png', source }] }),
      ]);
      await store.sessions.import(await linesOf(store, id), { id: 'copy' });
      await store.sessions.fork(id, { id: 'fork', end: 1 });
      for (const one of [id, 'copy', 'fork'])
        expect(await store.attachments.mediaType(one, hash)).toBe('image/png');
      expect(await store.attachments.mediaType(id, unsaid)).toBeUndefined();
      await begin(store, 'other');
      expect(await store.attachments.mediaType('other', hash)).toBeUndefined();
    });

    it('names a session that has no title, and leaves one that has', async () => {
      const { store } = await open();
      const { id } = await begin(store);
      const told = [{ type: 'session:updated', data: null }];
      const name_ = (title: string) => store.sessions.rename(id, title, told, { onlyUntitled: true });
      expect(await name_('first')).toHaveLength(1);
      expect(await name_('second')).toEqual([]);
      expect(await store.sessions.read(id)).toMatchObject({ title: 'first', lastEventSeq: 1 });
    });

    it('knows which run took a message', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      await store.inbox.accept(id, { id: 'x', content: 'one' });
      expect((await store.inbox.item(id, 'x'))?.runId).toBeNull();
      const compose = () => ({ message: { message: userMessage('x', 'one') } });
      const { delivered } = await store.write(lease, [{ type: 'deliver', runId: 'r', compose }]);
      expect(delivered).toMatchObject([{ id: 'x', runId: 'r' }]);
      expect((await store.inbox.item(id, 'x'))?.runId).toBe('r');
      await store.sessions.import(await linesOf(store, id), { id: 'copy' });
      expect((await store.inbox.item('copy', 'x'))?.runId).toBe('r');
    });
  });
}
