import { describe, expect, it } from 'vitest';
import { userMessage } from './compacted-session.ts';
import { begin, codeOf, leaseOf, linesOf, message, ttlMs } from './test-store.ts';
import type { OwnerUsage, SessionSearch, SessionStore } from '@throughline/ports';
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

  describe(`${name}: what owners use`, () => {
    const hourMs = 3_600_000;
    const usageOf = ({ usage }: SessionStore): OwnerUsage => usage ?? expect.unreachable('It has `usage`.');
    const use = async (store: SessionStore, sessionId: string, tokens: number): Promise<void> => {
      const lease = await leaseOf(store, sessionId);
      await store.write(lease, [{ type: 'usage', tokens }]);
      await store.leases.release(lease);
    };

    it('counts the sessions of an owner, and those that somebody works on, in whatever process', async ({
      skip,
    }) => {
      const opened = await open();
      const { store, clock } = opened;
      if (!store.usage) skip();
      const other = await opened.again();
      expect(await usageOf(store).sessions('ada')).toEqual({ count: 0, busy: 0 });
      for (const id of ['a', 'b', 'c']) await store.sessions.create({ id, owner: 'ada' });
      await store.sessions.create({ id: 'd', owner: 'bob' });
      for (const id of ['e', 'f']) await store.sessions.create({ id });
      await leaseOf(other, 'e');
      await leaseOf(other, 'b');
      const released = await leaseOf(other, 'c');
      await other.leases.release(released);
      await leaseOf(other, 'd');
      expect(await usageOf(store).sessions('ada')).toEqual({ count: 3, busy: 1 });
      // Those of nobody, too.
      expect(await usageOf(store).sessions('')).toEqual({ count: 2, busy: 1 });
      await store.sessions.delete('a');
      clock.advance(ttlMs + 1);
      expect(await usageOf(store).sessions('ada')).toEqual({ count: 2, busy: 0 });
    });

    it('sums tokens by the hour for each owner, and deleting a session takes nothing back', async ({
      skip,
    }) => {
      const { store, clock } = await open();
      if (!store.usage) skip();
      clock.advance(hourMs - (clock.nowMs() % hourMs));
      const startMs = clock.nowMs();
      for (const id of ['a', 'b']) await store.sessions.create({ id, owner: 'ada' });
      await store.sessions.create({ id: 'c', owner: 'bob' });
      await use(store, 'a', 4.6);
      await use(store, 'a', Number.NaN);
      await use(store, 'a', 7.4);
      await use(store, 'b', 100);
      await use(store, 'c', 1_000);
      clock.advance(hourMs);
      await use(store, 'b', 1);
      await store.sessions.delete('a');
      expect(await usageOf(store).tokens('ada', startMs)).toEqual([
        { beginsAtMs: startMs, tokens: 112 },
        { beginsAtMs: startMs + hourMs, tokens: 1 },
      ]);
      expect(await usageOf(store).tokens('ada', startMs + hourMs)).toEqual([
        { beginsAtMs: startMs + hourMs, tokens: 1 },
      ]);
      expect(await usageOf(store).tokens('bob', startMs)).toEqual([{ beginsAtMs: startMs, tokens: 1_000 }]);
      expect(await usageOf(store).tokens('nobody', 0)).toEqual([]);
    });

    it('adds what no run has used, whichever process adds it', async ({ skip }) => {
      const opened = await open();
      const { store, clock } = opened;
      if (!store.usage) skip();
      clock.advance(hourMs - (clock.nowMs() % hourMs));
      const startMs = clock.nowMs();
      const other = await opened.again();
      await store.sessions.create({ id: 'a', owner: 'ada' });
      await use(store, 'a', 100);
      await Promise.all(
        [1, 2, 4, 8, 16, Number.NaN].map((tokens, index) =>
          usageOf(index % 2 === 0 ? store : other).add('ada', tokens),
        ),
      );
      await usageOf(other).add('bob', 5);
      clock.advance(hourMs);
      await usageOf(other).add('ada', 3);
      expect(await usageOf(store).tokens('ada', startMs)).toEqual([
        { beginsAtMs: startMs, tokens: 131 },
        { beginsAtMs: startMs + hourMs, tokens: 3 },
      ]);
      expect(await usageOf(store).tokens('bob', startMs)).toEqual([{ beginsAtMs: startMs, tokens: 5 }]);
    });

    it('forgets what is more than two days old', async ({ skip }) => {
      const { store, clock } = await open();
      if (!store.usage) skip();
      await store.sessions.create({ id: 'a', owner: 'ada' });
      await store.sessions.create({ id: 'b', owner: 'ada' });
      await use(store, 'a', 5);
      clock.advance(50 * hourMs);
      await use(store, 'b', 7);
      const tokens = (await usageOf(store).tokens('ada', 0)).map((hour) => hour.tokens);
      expect(tokens).toEqual([7]);
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

    it('puts a title in the place of the one that is named, or of none, with a value beside it, and leaves any other', async () => {
      const { store } = await open();
      const { id } = await begin(store);
      const told = [{ type: 'session:updated', data: null }];
      const name_ = (title: string, inPlaceOf: string | null) =>
        store.sessions.rename(id, title, told, { inPlaceOf, value: { name: 'named', value: title } });
      expect(await name_('none', 'first')).toEqual([]);
      expect(await name_('first', null)).toHaveLength(1);
      expect(await name_('second', null)).toEqual([]);
      expect(await store.sessions.read(id)).toMatchObject({ title: 'first', lastEventSeq: 1 });
      expect(await store.value(id, 'named')).toBe('first');
      expect(await name_('third', 'first')).toHaveLength(1);
      expect(await store.sessions.read(id)).toMatchObject({ title: 'third', lastEventSeq: 2 });
      expect(await store.value(id, 'named')).toBe('third');
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
