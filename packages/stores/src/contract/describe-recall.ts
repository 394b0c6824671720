import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { converse, updateOf } from './proxy-histories.ts';
import { userMessage, toolStep } from './compacted-session.ts';
import { begin, message, plainBytes } from './test-store.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { OpenStore } from './test-store.ts';

/** What was said is found again. */
export function describeRecall(name: string, open: OpenStore): void {
  describe(`${name}: recall and search`, () => {
    const corpus: readonly SessionMessage[] = [
      userMessage('m0', 'ログイン画面のエラーを修正してください。東京オフィスから。'),
      ...toolStep(1),
      {
        id: 'x',
        role: 'assistant',
        parts: [
          {
            type: 'text',
            text: 'C:\\Users\\ada\\notes.txt and packages/core/src/index.ts; 100 % "quoted" it’s',
          },
          { type: 'call', callId: 'c', name: 'grep', input: { pattern: 'getUserById_v2', flags: ['-n'] } },
        ],
      },
      userMessage('y', 'Straße, ÉCOLE, 👩‍👩‍👧 family; SELECT * FROM texts; NEAR("a" b)'),
    ];

    it.each([
      ['エラー', ['m0']],
      ['東京', ['m0']],
      ['修', ['m0']],
      ['src/index', ['m3.0']],
      ['users\\ADA', ['m3.0']],
      ['getuserbyid', ['m3.1']],
      ['-n', ['m3.1']],
      ['grep', ['m3.1']],
      ['"quoted"', ['m3.0']],
      ['100 %', ['m3.0']],
      ['0 %', ['m3.0']],
      ['_v', ['m3.1']],
      ['s\\', ['m3.0']],
      ['école', ['m4']],
      ['É', ['m4']],
      ['👩‍👩‍👧', ['m4']],
      ['*', ['m4']],
      ['NEAR("a" b)', ['m4']],
      ['line 1 of', ['m2']],
      ['login', ['m2', 'm1.1', 'm1.0']],
      ['nowhere to be found', []],
      ['', []],
      ['\ud83d', ['m4']],
    ])('finds %j', async (query, ids) => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, corpus.map(message));
      expect((await store.history.search(id, query)).map((hit) => hit.id)).toEqual(ids);
    });

    it('finds all that holds the query and nothing else, as one who looks at every text would', async () => {
      const opened = await open();
      const { store } = opened;
      const letters = fc.constantFrom(...'ab /_-.Aé日本😀%"\\'.match(/./gu)!);
      const text = fc.array(letters, { maxLength: 12 }).map((all) => all.join(''));
      await fc.assert(
        fc.asyncProperty(fc.array(text, { maxLength: 8 }), text, async (texts, query) => {
          const { id, lease } = await begin(store);
          await store.write(
            lease,
            texts.map((one, index) => message(userMessage(`u${index}`, one))),
          );
          const expected = texts.flatMap((one, index) =>
            query !== '' && one.toLowerCase().includes(query.toLowerCase()) ? [`m${index}`] : [],
          );
          expect((await store.history.search(id, query)).map((hit) => hit.id)).toEqual(expected.toReversed());
        }),
        { numRuns: 60 },
      );
    });

    it('gives at most as many hits as are asked for, the newest', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(
        lease,
        Array.from({ length: 300 }, (_, index) =>
          message(userMessage(`u${index}`, `same words ${index % 2}`)),
        ),
      );
      expect((await store.history.search(id, 'words 0', 3)).map((hit) => hit.id)).toEqual([
        'm298',
        'm296',
        'm294',
      ]);
      expect(await store.history.search(id, 'words', 1_000)).toHaveLength(300);
      expect((await store.history.search(id, 's 1', 2)).map((hit) => hit.id)).toEqual(['m299', 'm297']);
    });

    it('recalls messages and parts by id, and whole outputs, which it finds as well', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await begin(store, 'other');
      await store.write(lease, corpus.map(message));
      expect(await store.history.recall(id, ' m0 ')).toMatchObject({ id: 'm0', role: 'user' });
      expect((await store.history.recall(id, 'm3'))?.text).toContain('\ngrep {"pattern":"getUserById_v2"');
      expect((await store.history.recall(id, 'm3.1'))?.text).toBe(
        'grep {"pattern":"getUserById_v2","flags":["-n"]}',
      );
      for (const none of ['m9', 'm3.2', 'o0', 'x', 'm-1', '', 'm99999999999999999999'])
        expect(await store.history.recall(id, none)).toBeUndefined();
      const whole = `${'output '.repeat(1_000)}NEEDLE`;
      const recallId = await store.attachments.keepOutput(id, 'c', whole);
      expect(await store.history.recall(id, recallId)).toEqual({ id: recallId, role: 'tool', text: whole });
      expect(await store.history.recall('other', recallId)).toBeUndefined();
      expect((await store.history.search(id, 'needle')).map((hit) => hit.id)).toEqual([recallId]);
      expect(await opened.blobs()).toHaveLength(1);
    });

    it('gives bytes only to sessions that refer to them', async () => {
      const opened = await open();
      const { store } = opened;
      await begin(store, 'one');
      await begin(store, 'two');
      const hash = await store.attachments.keep('one', new Uint8Array([1, 2]));
      expect(plainBytes(await store.attachments.read('one', hash))).toEqual(new Uint8Array([1, 2]));
      expect(await store.attachments.read('two', hash)).toBeUndefined();
      expect(await store.attachments.read('one', '../../etc/passwd')).toBeUndefined();
    });

    it('finds conversations of the proxy by what was said in them, the newest first, and by nothing else', async () => {
      const { store, clock } = await open();
      const { conversations, ...proxy } = store.proxy;
      const parts = [{ type: 'text', text: 'in a PART with "quotes" and 日本' }];
      const chain = ['"the needle"', '"hay"', JSON.stringify(parts), '"Needles: 100 % (all)"'].map(
        (content, index) => ({ hash: `h${index}`, message: `{"role":"user","content":${content}}` }),
      );
      await proxy.addMessages('s', null, chain);
      await conversations.update('s', updateOf('c', 'h3'));
      const found = async (query: string, limit?: number) =>
        (await conversations.searchIn({ scope: 's' }, 'c', query, limit)).map(({ length }) => length);
      expect(await found('NEEDLE')).toEqual([4, 1]);
      expect(await found('needle', 1)).toEqual([4]);
      expect(await found('"Quotes"')).toEqual([3]);
      expect(await found('日本')).toEqual([3]);
      expect(await found('100 %')).toEqual([4]);
      expect(await found('_eedle')).toEqual([]);
      expect(await found('user')).toEqual([]);
      expect(await found('')).toEqual([]);
      expect(await conversations.searchIn({ scope: 's' }, 'c', 'part')).toEqual([
        { hash: 'h2', length: 3, role: 'user', excerpt: 'in a PART with "quotes" and 日本' },
      ]);
      clock.advance(1);
      await converse(store.proxy, 't', { id: 'd', texts: ['no', 'needle'] });
      await converse(store.proxy, 't', { id: 'e', texts: ['needle'], owner: 'bob' });
      const inAll = await conversations.search({ owner: 'ada' }, { query: 'needle', hitsPerConversation: 1 });
      expect(inAll.next).toBeNull();
      expect(
        inAll.items.map(({ conversation, hits }) => [conversation.id, hits.length, hits[0]?.length]),
      ).toEqual([
        ['d', 1, 2],
        ['c', 1, 4],
      ]);
      const first = await conversations.search({ owner: 'ada' }, { query: 'needle', limit: 1 });
      const cursor = first.next ?? '';
      const second = await conversations.search({ owner: 'ada' }, { query: 'needle', limit: 1, cursor });
      expect(second.items.map(({ conversation }) => conversation.id)).toEqual(['c']);
    });
  });
}
