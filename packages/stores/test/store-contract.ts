import { describe, expect, it, onTestFinished } from 'vitest';
import fc from 'fast-check';
import {
  ContextError,
  emptyState,
  formerState,
  openTranscript,
  renderView,
  replay,
  sessionCodec,
} from '@throughline/core';
import { historyArbitrary } from '@throughline/testkit';
import { compactedSession, toolStep, userMessage } from './compacted-session.ts';
import type { Json, SessionMessage } from '@throughline/core';
import type { Lease, RunWrite, SessionStore, StoredEvent, StoredMessage } from '@throughline/ports';
import type { OpenStore } from './open-store.ts';

const ttlMs = 10_000;

async function begin(store: SessionStore, sessionId?: string): Promise<{ id: string; lease: Lease }> {
  const { id } = await store.sessions.create(sessionId === undefined ? {} : { id: sessionId });
  return { id, lease: await leaseOf(store, id) };
}

async function leaseOf(store: SessionStore, sessionId: string): Promise<Lease> {
  const lease = await store.leases.acquire(sessionId, 'test', ttlMs);
  if (!lease) throw new Error('expected a lease');
  return lease;
}

const message = (added: SessionMessage): RunWrite => ({ type: 'message', message: added });
const messagesOf = (stored: readonly StoredMessage[]): readonly SessionMessage[] =>
  stored.map(({ message: one }) => one);

async function linesOf(store: SessionStore, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.sessions.export(sessionId)) lines.push(line);
  return lines;
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return ContextError.is(error) ? error.code : undefined;
}

/** What every session store promises. What is not in here is not promised. */
export function describeStore(name: string, openStore: OpenStore): void {
  const open: OpenStore = async () => {
    const opened = await openStore();
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  };

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
      for (const attempt of [
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
      ]) {
        expect(await codeOf(attempt)).toBe('not-found');
      }
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

  describe(`${name}: messages`, () => {
    it('read back as they were stored, whatever is in them', async () => {
      const opened = await open();
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(historyArbitrary({ format: 'session', hostility: 'wild' }), async (history) => {
          const { id, lease } = await begin(store);
          // Ids of a session are unique: whoever imports gives new ones.
          const wire = history.map((one, index) => ({ ...(one as SessionMessage), id: `id-${index}` }));
          await store.write(lease, wire.map(message));
          const stored = messagesOf((await store.history.context(id)).messages);
          expect(JSON.stringify(stored)).toBe(JSON.stringify(wire));
          const entries = stored.map((one, ordinal) => sessionCodec.decode(one, ordinal));
          expect(entries).toEqual(wire.map((one, ordinal) => sessionCodec.decode(one, ordinal)));
        }),
        { numRuns: 40 },
      );
    });

    it('keep unknown fields, the order of keys, lone surrogates, NUL and content that is no list of parts', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const odd = [
        {
          parts: [{ type: 'text', text: 'a\0b\ud83d', x: { '2': 1, '1': 2 } }],
          zeta: [null],
          id: 'a',
          role: 'user',
        },
        { id: 'b', role: 'user', parts: 'no list' },
        { id: 'c', role: 'user' },
        { id: 'd', role: 'martian', parts: [null, 7, 'text', { type: 'new' }] },
        { id: 'e', role: 'assistant', parts: null, meta: { kind: 'summary' } },
        JSON.parse('{"id":"f","role":"user","__proto__":{"x":1},"parts":[]}'),
      ] as unknown as SessionMessage[];
      await store.write(lease, odd.map(message));
      const stored = messagesOf((await store.history.context(id)).messages);
      expect(stored.map((one) => JSON.stringify(one))).toEqual(odd.map((one) => JSON.stringify(one)));
    });

    it('get an id where they have none, and are refused under one that is taken: nothing of the write is stored', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const written = await store.write(lease, [
        message(userMessage('', 'a')),
        message(userMessage('b', 'b')),
      ]);
      expect(written.messages.map(({ ordinal }) => ordinal)).toEqual([0, 1]);
      expect(written.messages[0]?.id).not.toBe('');
      const again = store.write(lease, [message(userMessage('c', 'c')), message(userMessage('b', 'again'))]);
      expect(await codeOf(again)).toBe('already-exists');
      expect((await store.sessions.read(id)).messageCount).toBe(2);
      expect(messagesOf((await store.history.context(id)).messages).map((one) => one.id)).toEqual([
        written.messages[0]?.id,
        'b',
      ]);
    });

    it('grow by parts and streamed text until they are finished, and are seen as far as they have got', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const open_: RunWrite = {
        type: 'message',
        message: { id: 'a', role: 'assistant', parts: [] },
        isOpen: true,
        model: 'm',
      };
      await store.write(lease, [open_]);
      const text = (part: number, added: string): RunWrite => ({
        type: 'text',
        messageId: 'a',
        part,
        text: added,
      });
      await store.write(lease, [
        { type: 'part', messageId: 'a', part: { type: 'reasoning', text: '' }, isOpen: true },
        { type: 'part', messageId: 'a', part: { type: 'text', text: '' }, isOpen: true },
        text(0, 'think'),
        text(1, 'half a pair \ud83d'),
      ]);
      await store.write(lease, [text(1, '\ude00 done'), text(0, 'ing')]);
      const seen = (await store.history.context(id)).messages[0];
      expect(seen).toMatchObject({ isOpen: true, model: 'm' });
      expect(seen?.message.parts).toEqual([
        { type: 'reasoning', text: 'thinking' },
        { type: 'text', text: 'half a pair 😀 done' },
      ]);
      await store.write(lease, [
        {
          type: 'finish-part',
          messageId: 'a',
          part: 0,
          content: { type: 'reasoning', text: 'thinking', signature: 's' },
          marks: { isTruncated: true },
        },
      ]);
      expect(await codeOf(store.write(lease, [text(0, 'late')]))).toBe('not-found');
      await store.write(lease, [
        { type: 'finish-message', messageId: 'a', fields: { finishReason: 'stop' }, error: 'cut off' },
      ]);
      const [done] = (await store.history.context(id)).messages;
      expect(done).toEqual({
        ordinal: 0,
        isOpen: false,
        createdAtMs: opened.clock.nowMs(),
        model: 'm',
        error: 'cut off',
        marks: [{ isTruncated: true }, {}],
        message: {
          id: 'a',
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'thinking', signature: 's' },
            { type: 'text', text: 'half a pair 😀 done' },
          ],
          finishReason: 'stop',
        },
      });
      for (const late of [
        text(1, 'late'),
        { type: 'part', messageId: 'a', part: { type: 'text', text: '' } },
        { type: 'finish-message', messageId: 'a' },
        { type: 'finish-part', messageId: 'a', part: 1 },
      ] satisfies RunWrite[]) {
        expect(await codeOf(store.write(lease, [late]))).toBe('not-found');
      }
    });

    it('are paged from the newest to the oldest without gap or double', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(
        lease,
        Array.from({ length: 23 }, (_, index) => message(userMessage(`u${index}`, `${index}`))),
      );
      const pages: (readonly number[])[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await store.history.page(id, { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.items.map(({ ordinal }) => ordinal));
        cursor = page.next;
      }
      expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
        [13, 22],
        [3, 12],
        [0, 2],
      ]);
      expect((await store.history.messages(id, 5, 8)).map(({ ordinal }) => ordinal)).toEqual([5, 6, 7]);
      expect(await store.history.messages(id, -5_000, 1e15)).toHaveLength(23);
    });
  });

  describe(`${name}: context`, () => {
    it('is what the engine left, step by step, and holds all that its view shows and no more', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const again = await opened.again();
      let checkpoints = 0;
      let withUnloaded = 0;
      for (const { messages, transcript, step } of compactedSession(60)) {
        const { checkpoint, state } = step;
        await store.write(lease, [
          ...messages.map(message),
          checkpoint ? { type: 'checkpoint', checkpoint, state } : { type: 'state', state },
        ]);
        checkpoints += checkpoint ? 1 : 0;
        for (const handle of [store, again]) {
          const context = await handle.history.context(id);
          expect(context.state).toEqual(JSON.parse(JSON.stringify(state)));
          const shown = [...step.view.items].flatMap((item) =>
            item.type === 'entry' ? [item.entry.ordinal] : [],
          );
          expect(context.messages.map(({ ordinal }) => ordinal)).toEqual(
            shown.toSorted((left, right) => left - right),
          );
          expect(context.historyLength).toBe(transcript.conversation.entries.length);
          if (context.messages.length < context.historyLength) withUnloaded += 1;
        }
      }
      expect(checkpoints).toBeGreaterThan(3);
      expect(withUnloaded).toBeGreaterThan(10);
      expect(await store.sessions.read(id)).toMatchObject({ compactionCount: checkpoints });

      // The whole history with what was stored gives the view that was sent.
      const last = [...compactedSession(60)].at(-1);
      const { historyLength, state } = await again.history.context(id);
      const all = await again.history.messages(id, 0, historyLength);
      const transcript = openTranscript({ codec: sessionCodec }, messagesOf(all));
      const { view, skipped } = replay(transcript.conversation, state?.changes ?? []);
      expect(skipped).toEqual([]);
      expect(renderView(transcript, view).messages).toEqual(
        last && renderView(last.transcript, last.step.view).messages,
      );
    });

    it('goes back and forth over a checkpoint by moving the head, and shows a former one without moving it', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      for (const { messages, step } of compactedSession(60)) {
        await store.write(lease, [
          ...messages.map(message),
          step.checkpoint
            ? { type: 'checkpoint', checkpoint: step.checkpoint, state: step.state }
            : { type: 'state', state: step.state },
        ]);
      }
      const { state } = await store.history.context(id);
      const stored = await store.history.checkpoints(id);
      const head = stored.at(-1);
      if (!state || !head) throw new Error('expected checkpoints');
      expect(stored.map(({ checkpoint }) => checkpoint.parent)).toEqual([
        null,
        ...stored.slice(0, -1).map(({ checkpoint }) => checkpoint.id),
      ]);
      expect((await store.sessions.read(id)).headCheckpoint).toBe(head.checkpoint.id);

      const former = formerState(state, head.checkpoint);
      const preview = await store.history.context(id, former.changes);
      expect(preview.state?.head).toBe(head.checkpoint.id);

      await store.write(lease, [{ type: 'state', state: former }]);
      const undone = await (await opened.again()).history.context(id);
      expect(undone.state).toEqual(former);
      expect(messagesOf(undone.messages)).toEqual(messagesOf(preview.messages));
      expect((await store.sessions.read(id)).headCheckpoint).toBe(head.checkpoint.parent);
      expect(await store.history.checkpoints(id)).toEqual(stored);

      await store.write(lease, [{ type: 'state', state }]);
      expect((await store.history.context(id)).state).toEqual(state);
      const elsewhere = { ...state, head: 'nowhere' };
      expect(await codeOf(store.write(lease, [{ type: 'state', state: elsewhere }]))).toBe('not-found');
      expect((await store.history.context(id)).state).toEqual(state);
    });

    it('says of a part since when a placeholder stands in its place', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      const writes = [userMessage('u', 'task'), ...toolStep(1), ...toolStep(2)].map(message);
      await store.write(lease, writes);
      const pruned = (ordinal: number): Json => ({
        type: 'result-pruned',
        reason: 'old-output',
        beforeTokens: 9,
        afterTokens: 1,
        recallId: `m${ordinal}.0`,
        anchor: { ordinal, part: 0, fingerprint: 'f' },
        text: '[cleared]',
      });
      const stateWith = (changes: readonly Json[]): RunWrite => ({
        type: 'state',
        state: { ...emptyState(), changes: changes as never },
      });
      const marks = async (): Promise<unknown> =>
        (await store.history.context(id)).messages.flatMap((one) =>
          one.marks.map((mark) => mark.compactedAtMs),
        );
      await store.write(lease, [stateWith([pruned(2)])]);
      const firstAtMs = clock.nowMs();
      clock.advance(5);
      await store.write(lease, [stateWith([pruned(2), pruned(4)])]);
      expect(await marks()).toEqual([
        undefined,
        undefined,
        undefined,
        firstAtMs,
        undefined,
        undefined,
        clock.nowMs(),
      ]);
      await store.write(lease, [stateWith([pruned(4)])]);
      expect(await marks()).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        clock.nowMs(),
      ]);
    });
  });

  describe(`${name}: inbox`, () => {
    it('tells of its changes in the same transaction', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const emit = (type: string) => (item: { id: string; position: number }) => [
        { type, data: { id: item.id, position: item.position } },
      ];
      const first = await store.inbox.accept(id, { content: 'one' }, emit('message:queued'));
      const second = await store.inbox.accept(id, { id: 'mine', content: 'two' }, emit('message:queued'));
      expect([first.item.position, second.item.position]).toEqual([1, 2]);
      await store.inbox.edit(id, { id: 'mine', content: 'TWO' }, emit('message:updated'));
      await store.inbox.remove(id, first.item.id, emit('message:removed'));
      const { delivered, messages } = await store.write(lease, [
        {
          type: 'deliver',
          compose: (waiting) => ({
            message: { message: userMessage('u', JSON.stringify(waiting.map(({ content }) => content))) },
            events: [{ type: 'message:dequeued', data: { count: waiting.length } }],
          }),
        },
      ]);
      expect(messages).toEqual([{ id: 'u', ordinal: 0 }]);
      expect(delivered).toMatchObject([{ id: 'mine', content: 'TWO', state: 'delivered', messageId: 'u' }]);
      const events = await store.journal.after(id, 0);
      expect(events.map(({ seq, type }) => [seq, type])).toEqual([
        [1, 'message:queued'],
        [2, 'message:queued'],
        [3, 'message:updated'],
        [4, 'message:removed'],
        [5, 'message:dequeued'],
      ]);
      expect(await store.inbox.item(id, first.item.id)).toMatchObject({ state: 'removed' });
    });

    it('says in the same transaction whether somebody works on the session', async () => {
      const { store, clock } = await open();
      const { id, lease } = await begin(store);
      const heard: boolean[] = [];
      const accept = () =>
        store.inbox.accept(id, { content: 1 }, (_item, { isLeased }) => {
          heard.push(isLeased);
          return [];
        });
      await accept();
      clock.advance(1e9);
      await accept();
      const renewed = await store.leases.renew(lease, 1_000);
      await accept();
      if (renewed) await store.leases.release(renewed);
      await accept();
      expect(heard).toEqual([true, false, true, false]);
    });

    it('takes the same message twice for one, and nothing that has left it', async () => {
      const opened = await open();
      const { store } = opened;
      const { id } = await begin(store);
      const first = await store.inbox.accept(id, { id: 'x', content: 'one' });
      expect(await store.inbox.accept(id, { id: 'x', content: 'other' })).toEqual({ ...first, events: [] });
      await store.inbox.remove(id, 'x');
      expect(await codeOf(store.inbox.accept(id, { id: 'x', content: 'one' }))).toBe('already-exists');
      expect(await store.inbox.edit(id, { id: 'x', content: 'late' })).toBeUndefined();
      expect(await store.inbox.remove(id, 'x')).toBeUndefined();
      expect(await store.inbox.waiting(id)).toEqual([]);
    });

    it('takes no message under the id of one that is stored', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [message(userMessage('u1', 'one'))]);
      expect(await codeOf(store.inbox.accept(id, { id: 'u1', content: 'two' }))).toBe('already-exists');
      expect(await store.inbox.waiting(id)).toEqual([]);
    });

    it('keeps what waits when the message it was to become cannot be stored', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [message(userMessage('u', 'first'))]);
      await store.inbox.accept(id, { id: 'x', content: 'one' });
      const compose = () => ({ message: { message: userMessage('u', 'taken') } });
      expect(await codeOf(store.write(lease, [{ type: 'deliver', compose }]))).toBe('already-exists');
      expect((await store.inbox.waiting(id)).map((item) => item.id)).toEqual(['x']);
      await expect(
        store.write(lease, [
          {
            type: 'deliver',
            compose: () => {
              throw new Error('compose failed');
            },
          },
        ]),
      ).rejects.toThrow('compose failed');
      expect((await store.inbox.waiting(id)).map((item) => item.id)).toEqual(['x']);
    });
  });

  describe(`${name}: journal`, () => {
    it('merges chunks into their whole: who resumes gets every piece of text once, or whole', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const event = (type: string, more: object = {}): RunWrite => ({
        type: 'event',
        event: { type, data: null, ...more },
      });
      await store.write(lease, [
        event('run:start'),
        event('chunk', { chunkOf: 'p1' }),
        event('chunk', { chunkOf: 'p2' }),
      ]);
      const { events } = await store.write(lease, [event('chunk', { chunkOf: 'p1' })]);
      expect(events.map(({ seq }) => seq)).toEqual([4]);
      await store.write(lease, [event('whole', { ends: 'p1', runId: 'r' })]);
      const seqs = async (after: number): Promise<unknown> =>
        (await store.journal.after(id, after)).map(({ seq, type }) => [seq, type]);
      expect(await seqs(0)).toEqual([
        [1, 'run:start'],
        [3, 'chunk'],
        [5, 'whole'],
      ]);
      expect(await seqs(2)).toEqual([
        [3, 'chunk'],
        [5, 'whole'],
      ]);
      expect(await store.journal.after(id, 0, 1)).toHaveLength(1);
      expect((await store.sessions.read(id)).lastEventSeq).toBe(5);
    });

    it('numbers events without double from two handles at once', async () => {
      const opened = await open();
      const { store } = opened;
      const { id } = await begin(store);
      const again = await opened.again();
      const batches = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : again).journal.append(id, [
            { type: 'a', data: index },
            { type: 'b', data: index },
          ]),
        ),
      );
      const seqs = batches.flat().map(({ seq }) => seq);
      expect(seqs.toSorted((left, right) => left - right)).toEqual(
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
      const stored: readonly StoredEvent[] = await again.journal.after(id, 0);
      expect(stored).toHaveLength(40);
    });

    it('knows the runs whose process has died', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [
        { type: 'run-started', runId: 'r1' },
        { type: 'status', status: 'running' },
      ]);
      const left = { sessionId: id, hasOpenRun: true, hasWaiting: false };
      const leasedUntilMs = lease.expiresAtMs;
      expect(await store.journal.unfinished()).toEqual([{ ...left, leasedUntilMs }]);
      clock.advance(ttlMs);
      expect(await store.journal.unfinished()).toEqual([{ ...left, leasedUntilMs: null }]);
      const next = await leaseOf(store, id);
      await store.write(next, [{ type: 'run-started', runId: 'r1' }]);
      expect(await store.journal.unfinished()).toEqual([{ ...left, leasedUntilMs: next.expiresAtMs }]);
      await store.write(next, [{ type: 'run-ended', runId: 'r1', outcome: { reason: 'stop' } }]);
      expect(await codeOf(store.write(next, [{ type: 'run-ended', runId: 'r1', outcome: null }]))).toBe(
        'not-found',
      );
      expect(await codeOf(store.write(next, [{ type: 'run-started', runId: 'r1' }]))).toBe('already-exists');
      await store.leases.release(next);
      expect(await store.journal.unfinished()).toEqual([]);
      await store.inbox.accept(id, { content: 'still to do' });
      expect(await store.journal.unfinished()).toEqual([
        { sessionId: id, hasOpenRun: false, hasWaiting: true, leasedUntilMs: null },
      ]);
      expect(await store.journal.runs(id)).toMatchObject([
        { id: 'r1', outcome: { reason: 'stop' }, epoch: 2 },
      ]);
      expect((await store.sessions.read(id)).status).toBe('idle');
    });
  });

  describe(`${name}: approvals and values`, () => {
    it('survive a restart, and are answered once', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [
        { type: 'approval', id: 'p1', request: { tool: 'bash' } },
        { type: 'approval', id: 'p2', request: { tool: 'write' } },
        { type: 'value', name: 'todos', value: [{ content: 'a' }] },
      ]);
      const again = await opened.again();
      expect((await again.approvals.list(id)).map((one) => [one.id, one.answer])).toEqual([
        ['p1', undefined],
        ['p2', undefined],
      ]);
      const answered = await again.approvals.answer(
        id,
        { id: 'p1', answer: { type: 'allow' } },
        (approval) => [{ type: 'approval:resolved', data: approval.answer ?? null }],
      );
      expect(answered?.events).toMatchObject([
        { seq: 1, type: 'approval:resolved', data: { type: 'allow' } },
      ]);
      expect(await store.approvals.answer(id, { id: 'p1', answer: { type: 'deny' } })).toBeUndefined();
      expect(await store.approvals.answer(id, { id: 'p9', answer: null })).toBeUndefined();
      expect(await store.approvals.list(id)).toMatchObject([{ answer: { type: 'allow' } }, { id: 'p2' }]);
      expect(await again.value(id, 'todos')).toEqual([{ content: 'a' }]);
      await store.write(lease, [{ type: 'value', name: 'todos', value: null }]);
      expect(await again.value(id, 'todos')).toBeNull();
    });

    it('go when they are used: nothing grows with what was asked', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      for (const question of ['p1', 'p2'])
        await store.write(lease, [{ type: 'approval', id: question, request: 1 }]);
      await store.approvals.answer(id, { id: 'p1', answer: { type: 'allow' } });
      await store.write(lease, [
        { type: 'approval-used', id: 'p1' },
        { type: 'approval-used', id: 'nobody asked' },
      ]);
      expect(await store.approvals.list(id)).toMatchObject([{ id: 'p2', answer: undefined }]);
      expect(await store.approvals.answer(id, { id: 'p1', answer: { type: 'deny' } })).toBeUndefined();
      await store.write(lease, [{ type: 'approval', id: 'p3', request: 1 }]);
      expect((await store.approvals.list(id)).map((one) => one.id)).toEqual(['p2', 'p3']);
    });

    it('grants hold for their session or for all, each once', async () => {
      const opened = await open();
      const { store } = opened;
      await begin(store, 'one');
      await begin(store, 'two');
      await store.approvals.grant('one', { toolName: 'bash', key: 'ls' }, 'session');
      await store.approvals.grant('one', { toolName: 'bash', key: 'ls' }, 'session');
      await store.approvals.grant('one', { toolName: 'read' }, 'always');
      await store.approvals.grant('two', { toolName: 'read' }, 'always');
      expect(await store.approvals.grants('one')).toEqual([
        { toolName: 'bash', key: 'ls' },
        { toolName: 'read' },
      ]);
      expect(await store.approvals.grants('two')).toEqual([{ toolName: 'read' }]);
      await store.sessions.delete('one');
      expect(await store.approvals.grants('two')).toEqual([{ toolName: 'read' }]);
    });
  });

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
      expect(await store.attachments.read('one', hash)).toEqual(new Uint8Array([1, 2]));
      expect(await store.attachments.read('two', hash)).toBeUndefined();
      expect(await store.attachments.read('one', '../../etc/passwd')).toBeUndefined();
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

  describe(`${name}: export`, () => {
    it('is the session: imported and exported again it is the same, line by line', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      for (const { messages, step } of compactedSession(40)) {
        clock.advance(7);
        await store.write(lease, [
          ...messages.map(message),
          step.checkpoint
            ? { type: 'checkpoint', checkpoint: step.checkpoint, state: step.state, cost: { usd: 1 } }
            : { type: 'state', state: step.state },
        ]);
      }
      const hash = await store.attachments.keep(id, new Uint8Array([7, 0, 255]));
      const output = await store.attachments.keepOutput(id, 'c', 'the whole NEEDLE');
      await store.inbox.accept(id, { content: { text: 'waits' } });
      await store.approvals.grant(id, { toolName: 'bash' }, 'session');
      await store.write(lease, [
        { type: 'run-started', runId: 'r' },
        { type: 'approval', id: 'p', request: 1 },
        { type: 'value', name: 'todos', value: ['a'] },
        { type: 'event', event: { type: 'x', data: { type: 'y' }, runId: 'r', chunkOf: 'k' } },
        {
          type: 'message',
          message: { id: 'open', role: 'assistant', parts: [] },
          isOpen: true,
          parentId: 'u0',
        },
        {
          type: 'part',
          messageId: 'open',
          part: { type: 'text', text: 'half' },
          isOpen: true,
          marks: { isTruncated: true },
        },
        { type: 'text', messageId: 'open', part: 0, text: ' done' },
      ]);
      clock.advance(1_000);
      const lines = await linesOf(store, id);
      expect(await codeOf(store.sessions.import(lines))).toBe('already-exists');

      const other = await open();
      other.clock.advance(99_999);
      const imported = await other.store.sessions.import(lines);
      expect(await linesOf(other.store, imported.id)).toEqual(lines);
      expect((await other.store.history.context(id)).state).toEqual((await store.history.context(id)).state);
      expect((await other.store.history.context(id)).messages).toEqual(
        (await store.history.context(id)).messages,
      );
      expect(await other.store.attachments.read(id, hash)).toEqual(new Uint8Array([7, 0, 255]));
      expect((await other.store.history.recall(id, output))?.text).toBe('the whole NEEDLE');
      expect((await other.store.history.search(id, 'needle')).map((hit) => hit.id)).toEqual([output]);
      // Nobody goes on with a run that came in a file.
      expect((await other.store.journal.unfinished()).some(({ hasOpenRun }) => hasOpenRun)).toBe(false);
      // And the copy can be worked with.
      const next = await leaseOf(other.store, id);
      await other.store.write(next, [
        { type: 'finish-message', messageId: 'open' },
        message(userMessage('n', 'new')),
      ]);

      const copy = await other.store.sessions.import(lines, { id: 'copy' });
      expect(copy.id).toBe('copy');
    });

    it('of thousands of lines is imported out of sight, and nothing is left where it is cut off', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const texts = Array.from({ length: 2_500 }, (_, index) =>
        message(userMessage(`u${index}`, `text ${index}`)),
      );
      await store.write(lease, texts);
      await store.attachments.keep(id, new Uint8Array([1]));
      const lines = await linesOf(store, id);
      async function* interrupted(): AsyncGenerator<string> {
        for (const [index, line] of lines.entries()) {
          yield line;
          if (index === 1_000) expect((await store.sessions.list()).items.map((one) => one.id)).toEqual([id]);
          if (index === 2_000) throw new Error('the line is dead');
        }
      }
      await expect(store.sessions.import(interrupted(), { id: 'copy' })).rejects.toThrow('the line is dead');
      expect((await store.sessions.list()).items.map((one) => one.id)).toEqual([id]);
      await store.sessions.import(lines, { id: 'copy' });
      expect(await store.sessions.delete(id)).toBe(true);
      expect((await store.history.search('copy', 'text 2499')).map((hit) => hit.id)).toEqual(['m2499']);
      expect(await linesOf(store, 'copy')).toEqual(
        lines.map((line, index) => (index === 0 ? line.replace(id, 'copy') : line)),
      );
      // The id is free for another.
      expect((await store.sessions.create({ id })).messageCount).toBe(0);
    });

    it.each([
      ['is cut', (lines: string[]) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, -3) ?? '']],
      ['begins elsewhere', (lines: string[]) => lines.slice(1)],
      ['is empty', () => []],
      ['is no JSON', () => ['hello']],
      [
        'is of a later format',
        (lines: string[]) => [lines[0]!.replace('"format":2', '"format":3'), ...lines.slice(1)],
      ],
      ['repeats a message', (lines: string[]) => [...lines, lines[1]!]],
      ['repeats an event', (lines: string[]) => [...lines, lines.find((line) => line.includes('"event"'))!]],
      ['holds a line of another kind', (lines: string[]) => [...lines, '{"line":"constructor"}']],
      ['holds a wrong type', (lines: string[]) => [...lines, '{"line":"value","name":7,"value":1}']],
      ['holds a message that is none', (lines: string[]) => [...lines, '{"line":"message","message":7}']],
      [
        'holds marks that are none',
        (lines: string[]) => [
          ...lines,
          '{"line":"message","marks":[{"tokens":"many"}],"message":{"id":"z","role":"user","parts":[{"type":"text","text":""}]}}',
        ],
      ],
      [
        'holds a false blob',
        (lines: string[]) => [...lines, `{"line":"blob","hash":"${'0'.repeat(64)}","base64":"AA=="}`],
      ],
      [
        'holds a session that is none',
        (lines: string[]) => [lines[0]!.replace(/"owner":""/, '"owner":7'), ...lines.slice(1)],
      ],
      [
        'holds half a millisecond',
        (lines: string[]) => [
          lines[0]!.replace(/"created_at_ms":\d+/, '"created_at_ms":1.5'),
          ...lines.slice(1),
        ],
      ],
      [
        'names a checkpoint that is not there',
        (lines: string[]) => [
          lines[0]!.replace(/"state":null/, `"state":${JSON.stringify({ ...emptyState(), head: 'c9' })}`),
          ...lines.slice(1),
        ],
      ],
      [
        'holds no sound state',
        (lines: string[]) => [lines[0]!.replace(/"state":null/, '"state":{"version":9}'), ...lines.slice(1)],
      ],
    ])('that %s is refused with its line, and nothing of it is stored', async (_, spoil) => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [
        message(userMessage('a', 'a')),
        { type: 'event', event: { type: 'x', data: 1 } },
      ]);
      await store.attachments.keep(id, new Uint8Array([1]));
      const lines = spoil(await linesOf(store, id));
      const other = await open();
      const attempt = other.store.sessions.import(lines);
      await expect(attempt).rejects.toMatchObject({
        code: 'unreadable-file',
        details: { line: expect.any(Number) },
      });
      expect((await other.store.sessions.list()).items).toEqual([]);
      expect(await other.blobs()).toEqual([]);
    });
  });
}
