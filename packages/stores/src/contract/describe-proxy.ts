import { describe, expect, it } from 'vitest';
import { chainOf, converse, hashesOf, headOf, passAt, stateNamed, updateOf } from './proxy-histories.ts';
import { codeOf } from './test-store.ts';
import type { OpenStore } from './test-store.ts';

const texts = (count: number, name = 'text'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** What the proxy keeps: histories, what was made of them, and limits. */
export function describeProxy(name: string, open: OpenStore): void {
  describe(`${name}: messages of the proxy`, () => {
    it('are known up to the newest that was stored, and stored once however often they come', async () => {
      const { proxy } = (await open()).store;
      const chain = chainOf(texts(5));
      expect(await proxy.knownLength('s', hashesOf(chain))).toBe(0);
      expect(await proxy.addMessages('s', null, chain.slice(0, 3))).toBe(true);
      expect(await proxy.knownLength('s', hashesOf(chain))).toBe(3);
      expect(await proxy.addMessages('s', chain[2]?.hash ?? '', chain.slice(3))).toBe(true);
      const { keptBytes } = await proxy.prune({});
      expect(await proxy.addMessages('s', null, chain)).toBe(true);
      expect((await proxy.prune({})).keptBytes).toBe(keptBytes);
      expect(await proxy.knownLength('s', hashesOf(chain))).toBe(5);
    });

    it('are not stored behind a message that is not there', async () => {
      const { proxy } = (await open()).store;
      const chain = chainOf(texts(3));
      expect(await proxy.addMessages('s', chain[0]?.hash ?? '', chain.slice(1))).toBe(false);
      await proxy.addMessages('other', null, chain);
      expect(await proxy.addMessages('s', chain[0]?.hash ?? '', chain.slice(1))).toBe(false);
      expect(await proxy.knownLength('s', hashesOf(chain))).toBe(0);
    });

    it('come back as the client wrote them, in pages from the newest', async () => {
      const { store, clock } = await open();
      const { proxy } = store;
      const wild = [' {"role" : "user", "content":"a\\u0000\\ud83d 日本 😀"} ', '{"a":1.50}', '{"a":1.50}'];
      const chain = wild.map((message, index) => ({ hash: `h${index}`, message }));
      await proxy.addMessages('s', null, chain);
      await proxy.conversations.update('s', updateOf('c', 'h2'));
      const first = await proxy.conversations.messages({ scope: 's' }, 'c', { limit: 2 });
      expect(first.items).toEqual([
        { hash: 'h1', message: wild[1], length: 2, addedAtMs: clock.nowMs() },
        { hash: 'h2', message: wild[2], length: 3, addedAtMs: clock.nowMs() },
      ]);
      const second = await proxy.conversations.messages({ scope: 's' }, 'c', { cursor: first.next ?? '' });
      expect(second.items.map(({ message }) => message)).toEqual([wild[0]]);
      expect(second.next).toBeNull();
      const bad = proxy.conversations.messages({ scope: 's' }, 'c', { cursor: 'x' });
      expect(await codeOf(bad)).toBe('invalid-option');
    });

    it('of a long history are stored and found as those of a short one', async () => {
      const { proxy } = (await open()).store;
      const hashes = hashesOf(chainOf(texts(1_700)));
      const grow = (length: number) => converse(proxy, 's', { id: 'c', texts: texts(length) });
      await grow(41);
      await proxy.passes.add('s', passAt(hashes[40] ?? '', 'far'));
      await grow(1_651);
      expect((await proxy.passes.find('s', hashes))?.state.head).toBe('far');
      await proxy.passes.add('s', passAt(hashes[1_650] ?? '', 'near'));
      await grow(1_700);
      expect(await proxy.passes.find('s', hashes)).toMatchObject({
        state: { head: 'near' },
        length: 1_651,
      });
      expect((await proxy.passes.list({ scope: 's' }, 'c')).map(({ length }) => length)).toEqual([41, 1_651]);
      const fork = [...hashes.slice(0, 1_600), 'elsewhere'];
      expect(await proxy.knownLength('s', fork)).toBe(1_600);
      expect((await proxy.passes.find('s', fork))?.length).toBe(41);
    });
  });

  describe(`${name}: passes of the proxy`, () => {
    it('are whole, and of the first who stores one for a history', async () => {
      const { store, clock } = await open();
      const { proxy } = store;
      const head = headOf(await converse(proxy, 's', { id: 'c', texts: texts(2) }));
      const own = await proxy.passes.add('s', passAt(head, 'first'));
      const stored = {
        ...passAt(head, 'first'),
        length: 2,
        version: 1,
        isLate: false,
        bytes: expect.any(Number) as number,
        createdAtMs: clock.nowMs(),
      };
      expect(own).toEqual({ isOwn: true, pass: stored });
      expect(await proxy.passes.add('s', passAt(head, 'second'))).toEqual({ isOwn: false, pass: stored });
      expect(await proxy.passes.find('s', [head])).toEqual(stored);
    });

    it('are found by the longest history that the one asked for begins with', async () => {
      const { proxy } = (await open()).store;
      const hashes = hashesOf(chainOf(texts(6)));
      for (const index of [1, 3]) {
        await converse(proxy, 's', { id: 'c', texts: texts(index + 1) });
        await proxy.passes.add('s', passAt(hashes[index] ?? '', `p${index}`));
      }
      await converse(proxy, 's', { id: 'c', texts: texts(6) });
      const found = async (end: number) => (await proxy.passes.find('s', hashes.slice(0, end)))?.state.head;
      expect([await found(6), await found(4), await found(3), await found(1)]).toEqual([
        'p3',
        'p3',
        'p1',
        undefined,
      ]);
    });

    it('that come when longer histories are stored count for their own alone, also when they are replaced', async () => {
      const { proxy } = (await open()).store;
      const hashes = hashesOf(await converse(proxy, 's', { id: 'c', texts: texts(4) }));
      const found = async (end: number) => (await proxy.passes.find('s', hashes.slice(0, end)))?.state.head;
      await proxy.passes.add('s', passAt(hashes[1] ?? '', 'late'));
      expect([await found(4), await found(3), await found(2)]).toEqual([undefined, undefined, 'late']);
      await proxy.passes.replace('s', passAt(hashes[1] ?? '', 'smaller'), 1);
      expect([await found(4), await found(2)]).toEqual([undefined, 'smaller']);
      expect(await proxy.passes.list({ scope: 's' }, 'c')).toEqual([]);
      const fork = hashesOf(await converse(proxy, 's', { id: 'd', texts: [...texts(2), 'else'] }));
      expect(await proxy.passes.find('s', fork)).toBeUndefined();
      await proxy.passes.add('s', passAt(hashes[3] ?? '', 'in time'));
      expect(await found(4)).toBe('in time');
    });

    it('are the same for two who store one at once', async () => {
      const opened = await open();
      const again = await opened.again();
      const head = headOf(await converse(opened.store.proxy, 's', { id: 'c', texts: texts(2) }));
      const kept = await Promise.all([
        opened.store.proxy.passes.add('s', passAt(head, 'one')),
        again.proxy.passes.add('s', passAt(head, 'other')),
      ]);
      expect(kept.filter((one) => one?.isOwn)).toHaveLength(1);
      expect(kept[0]?.pass).toEqual(kept[1]?.pass);
    });

    it('are replaced by who knows the one that stands there, or where none does', async () => {
      const { proxy } = (await open()).store;
      const head = headOf(await converse(proxy, 's', { id: 'c', texts: texts(2) }));
      const replace = async (named: string, version: number) => {
        const kept = await proxy.passes.replace('s', passAt(head, named), version);
        return [kept?.isOwn, kept?.pass.state.head, kept?.pass.version];
      };
      expect(await replace('first', 1)).toEqual([true, 'first', 1]);
      expect(await replace('second', 1)).toEqual([true, 'second', 2]);
      expect(await replace('late', 1)).toEqual([false, 'second', 2]);
      expect((await proxy.passes.find('s', [head]))?.state).toEqual(stateNamed('second'));
      const { keptBytes } = await proxy.prune({});
      await replace('sixth!', 2);
      // The name stands in the state and in the report, where it was as long.
      expect((await proxy.prune({})).keptBytes).toBe(keptBytes);
    });

    it('are not stored where their history is not there', async () => {
      const { proxy } = (await open()).store;
      expect(await proxy.passes.add('s', passAt('h', 'p'))).toBeUndefined();
      expect(await proxy.passes.replace('s', passAt('h', 'p'), 1)).toBeUndefined();
      expect(await proxy.passes.find('s', ['h'])).toBeUndefined();
      expect(await proxy.passes.find('s', [])).toBeUndefined();
    });
  });

  describe(`${name}: conversations of the proxy whose clients compact them`, () => {
    it('are told once for their session, in their scope, the last one noted', async () => {
      const opened = await open();
      const { conversations } = opened.store.proxy;
      await converse(opened.store.proxy, 's', { id: 'c', texts: texts(2) });
      await converse(opened.store.proxy, 's', { id: 'd', texts: texts(3) });
      expect(await conversations.takeCompacted('s', 'one')).toBeUndefined();
      expect(await conversations.takeCompacted('unknown', 'one')).toBeUndefined();
      for (const id of ['c', 'd']) expect(await conversations.noteCompaction('s', id, 'one')).toBe(true);
      expect(await conversations.noteCompaction('s', 'c', 'other')).toBe(true);
      expect(await conversations.takeCompacted('t', 'one')).toBeUndefined();
      const again = (await opened.again()).proxy.conversations;
      expect(await again.takeCompacted('s', 'one')).toBe('d');
      expect(await conversations.takeCompacted('s', 'one')).toBeUndefined();
      expect(await conversations.takeCompacted('s', 'other')).toBe('c');
    });

    it('are there, and of their scope', async () => {
      const { proxy } = (await open()).store;
      await converse(proxy, 's', { id: 'c', texts: texts(2) });
      expect(await proxy.conversations.noteCompaction('s', 'gone', 'one')).toBe(false);
      expect(await proxy.conversations.noteCompaction('t', 'c', 'one')).toBe(false);
      expect(await proxy.conversations.takeCompacted('t', 'one')).toBeUndefined();
    });
  });

  describe(`${name}: conversations of the proxy`, () => {
    it('are counted from request to request, and keep how they began', async () => {
      const { store, clock } = await open();
      const { conversations } = store.proxy;
      const chain = chainOf(texts(3));
      await store.proxy.addMessages('s', null, chain);
      const [one, two, three] = hashesOf(chain) as [string, string, string];
      const startedAtMs = clock.nowMs();
      const first = await conversations.update('s', {
        ...updateOf('c', one),
        parentId: 'p',
        label: 'session-1',
      });
      expect(first).toMatchObject({ requests: 1, compactions: 0, lastUsage: null, length: 1 });
      clock.advance(5);
      await conversations.update('s', {
        ...updateOf('c', three),
        title: 'other',
        owner: 'bob',
        model: 'n',
        compactions: 2,
        lastUsage: { input: 7 },
      });
      clock.advance(-3);
      await conversations.update('s', updateOf('c', two));
      expect(await conversations.read({ owner: 'ada' }, 'c')).toEqual({
        id: 'c',
        scope: 's',
        route: 'main',
        owner: 'ada',
        label: 'session-1',
        title: 'title of c',
        model: 'm',
        parentId: 'p',
        headHash: two,
        length: 2,
        requests: 3,
        compactions: 2,
        lastUsage: { input: 7 },
        startedAtMs,
        usedAtMs: startedAtMs + 5,
      });
    });

    it('keep what their client sent last beside its messages, and it goes with them', async () => {
      const { conversations, ...proxy } = (await open()).store.proxy;
      const chain = chainOf(['a', 'b']);
      await proxy.addMessages('s', null, chain);
      const [one, two] = hashesOf(chain) as [string, string];
      await conversations.update('s', updateOf('c', one));
      expect(await conversations.instructions({ owner: 'ada' }, 'c')).toBeNull();
      for (const system of ['Be kind.', 'Be brief.'])
        await conversations.update('s', { ...updateOf('c', two), instructions: { system, tools: [] } });
      await conversations.update('s', updateOf('c', two));
      expect(await conversations.instructions({ owner: 'ada' }, 'c')).toEqual({
        system: 'Be brief.',
        tools: [],
      });
      await expect(conversations.instructions({ owner: 'bob' }, 'c')).rejects.toMatchObject({
        code: 'not-found',
      });
      await conversations.delete({ owner: 'ada' }, 'c');
      await proxy.addMessages('s', null, chain);
      await conversations.update('s', updateOf('c', one));
      expect(await conversations.instructions({ owner: 'ada' }, 'c')).toBeNull();
    });

    it('whose first request two processes have at once are one, and count both', async () => {
      const opened = await open();
      const other = (await opened.again()).proxy;
      const { proxy } = opened.store;
      const [one, two] = hashesOf(chainOf(['a', 'b'])) as [string, string];
      await proxy.addMessages('s', null, chainOf(['a', 'b']));
      const ids = Array.from({ length: 6 }, (_, index) => `c${index}`);
      const made = await Promise.all(
        ids.map((id, index) =>
          (index % 2 === 0 ? proxy : other).conversations.update('s', {
            ...updateOf(id, one),
            unstoredForMs: 100,
          }),
        ),
      );
      const [id] = made.map((row) => row?.id);
      expect(ids).toContain(id);
      expect(made.map((row) => row?.id)).toEqual(ids.map(() => id));
      const { items } = await proxy.conversations.list({ scope: 's' });
      expect(items).toMatchObject([{ id, requests: 6, headHash: one }]);

      // One that has gone on stays where it stands.
      await proxy.conversations.update('s', updateOf(id ?? '', two));
      const late = await other.conversations.update('s', { ...updateOf('late', one), unstoredForMs: 100 });
      expect(late).toMatchObject({ id, requests: 8, headHash: two, length: 2 });
    });

    it('are others where the one at the same messages is older, their parent, shorter, or was stored before', async () => {
      const { store, clock } = await open();
      const { proxy } = store;
      const [one, two] = hashesOf(chainOf(['a', 'b'])) as [string, string];
      await proxy.addMessages('s', null, chainOf(['a', 'b']));
      await proxy.conversations.update('s', updateOf('old', one));
      clock.advance(1_101);
      const asked = { unstoredForMs: 100 };
      await proxy.conversations.update('s', { ...updateOf('new', one), ...asked });
      await proxy.conversations.update('s', { ...updateOf('fork', one), parentId: 'new', ...asked });
      await proxy.conversations.update('s', { ...updateOf('longer', two), ...asked });
      await proxy.conversations.update('s', updateOf('stored', one));
      const { items } = await proxy.conversations.list({ scope: 's' });
      expect(items.map(({ id }) => id).toSorted()).toEqual(['fork', 'longer', 'new', 'old', 'stored']);
    });

    it('are not stored where their newest message is not there', async () => {
      const { proxy } = (await open()).store;
      expect(await proxy.conversations.update('s', updateOf('c', 'h'))).toBeUndefined();
      expect((await proxy.conversations.list({ scope: 's' })).items).toEqual([]);
    });

    it('are listed by route and owner, the one used last first, in pages without gap or double', async () => {
      const { store, clock } = await open();
      const { conversations } = store.proxy;
      await store.proxy.addMessages('s', null, chainOf(['a']));
      const head = headOf(chainOf(['a']));
      for (const id of ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']) {
        await conversations.update('s', { ...updateOf(id, head), route: id === 'c3' ? 'side' : 'main' });
        if (id !== 'c4') clock.advance(1);
      }
      await conversations.update('s', updateOf('c1', head));
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof conversations.list>> = await conversations.list(
          { owner: 'ada' },
          { limit: 2, ...(cursor !== '' && { cursor }) },
        );
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next;
      }
      expect(seen).toEqual(['c1', 'c5', 'c4', 'c3', 'c2', 'c0']);
      const side = await conversations.list({ scope: 's' }, { route: 'side' });
      expect(side.items.map(({ id }) => id)).toEqual(['c3']);
      expect(await codeOf(conversations.list({ scope: 's' }, { cursor: 'x' }))).toBe('invalid-option');
    });

    it('are deleted with the messages and passes on which no other stands', async () => {
      const { proxy } = (await open()).store;
      const begun = await converse(proxy, 's', { id: 'one', texts: ['a', 'b'] });
      await proxy.passes.add('s', passAt(headOf(begun), 'shared'));
      const one = await converse(proxy, 's', { id: 'one', texts: ['a', 'b', 'c', 'd'] });
      const two = await converse(proxy, 's', { id: 'two', texts: ['a', 'b', 'x'] });
      await proxy.passes.add('s', passAt(headOf(one), 'alone'));
      expect(await proxy.conversations.delete({ scope: 's' }, 'one')).toBe(true);
      expect(await proxy.conversations.delete({ scope: 's' }, 'one')).toBe(false);
      expect(await proxy.knownLength('s', hashesOf(one))).toBe(2);
      expect((await proxy.passes.find('s', hashesOf(one)))?.state.head).toBe('shared');
      expect(await proxy.knownLength('s', hashesOf(two))).toBe(3);
      expect(await proxy.conversations.delete({ owner: 'ada' }, 'two')).toBe(true);
      expect(await proxy.knownLength('s', hashesOf(two))).toBe(0);
      expect((await proxy.prune({})).keptBytes).toBe(0);
    });
  });

  describe(`${name}: the proxy keeps apart and within bounds`, () => {
    it('finds nothing of another scope or owner by any method', async () => {
      const { proxy } = (await open()).store;
      const { conversations, passes } = proxy;
      const chain = await converse(proxy, 's', { id: 'c', texts: ['needle'] });
      await passes.add('s', passAt(headOf(chain), 'p'));
      expect(await passes.find('other', hashesOf(chain))).toBeUndefined();
      expect(await passes.add('other', passAt(headOf(chain), 'q'))).toBeUndefined();
      expect(await conversations.update('other', updateOf('d', headOf(chain)))).toBeUndefined();
      await proxy.addMessages('other', null, chain);
      expect(await passes.find('other', hashesOf(chain))).toBeUndefined();
      const taken = conversations.update('other', updateOf('c', headOf(chain), 'bob'));
      expect(await codeOf(taken)).toBe('already-exists');
      for (const whose of [{ scope: 'other' }, { owner: 'bob' }]) {
        expect((await conversations.list(whose)).items).toEqual([]);
        expect((await conversations.search(whose, { query: 'needle' })).items).toEqual([]);
        expect(await conversations.delete(whose, 'c')).toBe(false);
        const refused = [
          conversations.read(whose, 'c'),
          conversations.messages(whose, 'c'),
          conversations.searchIn(whose, 'c', 'needle'),
          passes.list(whose, 'c'),
        ];
        expect(new Set(await Promise.all(refused.map(codeOf)))).toEqual(new Set(['not-found']));
      }
      expect(await conversations.read({ scope: 's' }, 'c')).toMatchObject({ requests: 1, owner: 'ada' });
    });

    it('deletes what was not used for long, then the least used until the rest is small enough', async () => {
      const { store, clock } = await open();
      const { proxy } = store;
      const ids = async () => (await proxy.conversations.list({ scope: 's' })).items.map(({ id }) => id);
      for (const id of ['a', 'b', 'c', 'd']) {
        const chain = await converse(proxy, 's', { id, texts: ['shared', ...texts(30, id)] });
        await proxy.passes.add('s', passAt(headOf(chain), id));
        clock.advance(1_000);
      }
      const before = await proxy.prune({ olderThanMs: clock.nowMs() - 4_000 });
      expect(before).toMatchObject({ conversations: 0, messages: 0, passes: 0, bytes: 0 });
      const aged = await proxy.prune({ olderThanMs: clock.nowMs() - 3_999 });
      expect(aged).toMatchObject({ conversations: 1, messages: 30, passes: 1 });
      expect(aged.keptBytes).toBe(before.keptBytes - aged.bytes);
      expect(await ids()).toEqual(['d', 'c', 'b']);
      const small = await proxy.prune({ maxBytes: aged.keptBytes - 1 });
      expect(small).toMatchObject({ conversations: 1, messages: 30, passes: 1 });
      expect(await ids()).toEqual(['d', 'c']);
      expect(await proxy.prune({ maxBytes: 0 })).toMatchObject({
        conversations: 2,
        messages: 61,
        keptBytes: 0,
      });
    });

    it('gives messages an hour until a conversation stands on them', async () => {
      const { store, clock } = await open();
      const { proxy } = store;
      const chain = await converse(proxy, 's', { id: 'c', texts: ['a', 'b'] });
      clock.advance(3_600_000);
      const longer = chainOf(['a', 'b', 'of a request under way']);
      await proxy.addMessages('s', headOf(chain), longer.slice(2));
      await proxy.prune({ olderThanMs: clock.nowMs() });
      expect(await proxy.knownLength('s', hashesOf(longer))).toBe(3);
      clock.advance(3_600_001);
      expect(await proxy.prune({})).toMatchObject({ conversations: 0, messages: 3, keptBytes: 0 });
    });

    it('keeps of what was learned of a window the least, and of other sources the last', async () => {
      const { store, clock } = await open();
      const { limits } = store.proxy;
      expect(await limits.read('http://a', 'm')).toEqual({});
      const atMs = clock.nowMs();
      await limits.keep('http://a', 'm', { source: 'learned', windowTokens: 8_000 });
      await limits.keep('http://a', 'm', { source: 'discovered', windowTokens: 16_000 });
      clock.advance(5);
      await limits.keep('http://a', 'm', { source: 'learned', windowTokens: 9_000 });
      const known = {
        learned: { windowTokens: 8_000, atMs },
        discovered: { windowTokens: 32_000, atMs: atMs + 5 },
      };
      const told = await limits.keep('http://a', 'm', { source: 'discovered', windowTokens: 32_000 });
      expect(told).toEqual(known);
      expect(await limits.read('http://a', 'm')).toEqual(known);
      await limits.keep('http://a', 'm', { source: 'learned', windowTokens: 4_000 });
      expect((await limits.read('http://a', 'm')).learned).toEqual({ windowTokens: 4_000, atMs: atMs + 5 });
      expect(await limits.read('http://a', 'n')).toEqual({});
    });
  });
}
