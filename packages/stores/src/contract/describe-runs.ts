import { describe, expect, it } from 'vitest';
import { userMessage } from './compacted-session.ts';
import { begin, leaseOf, message, codeOf, ttlMs } from './test-store.ts';
import type { RunQuery, RunWrite, StoredEvent } from '@throughline/ports';
import type { OpenStore } from './test-store.ts';

/** What a run takes in, tells and asks: inbox, journal, approvals and values. */
export function describeRuns(name: string, open: OpenStore): void {
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

    it('moves what waits, tells it in the same transaction, and takes one of them alone', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      for (const one of ['a', 'b', 'c', 'd']) await store.inbox.accept(id, { id: one, content: one });
      const order = async () => (await store.inbox.waiting(id)).map((item) => item.id).join('');
      const moved = await store.inbox.move(id, { id: 'c', position: 1 }, ({ position }) => [
        { type: 'message:moved', data: { position } },
      ]);
      expect(moved).toMatchObject({ item: { id: 'c', position: 1 }, events: [{ data: { position: 1 } }] });
      expect(await order()).toBe('cabd');
      expect((await store.inbox.move(id, { id: 'c', position: 99 }))?.item.position).toBe(4);
      expect(await order()).toBe('abdc');
      const { delivered } = await store.write(lease, [
        { type: 'deliver', only: 'd', compose: () => ({ message: { message: userMessage('d', 'd') } }) },
      ]);
      expect(delivered).toMatchObject([{ id: 'd', messageId: 'd' }]);
      expect(await store.inbox.move(id, { id: 'd', position: 1 })).toBeUndefined();
      await store.inbox.accept(id, { id: 'e', content: 'e' });
      expect(await order()).toBe('abce');
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
      const left = { sessionId: id, hasOpenRun: true, hasWaiting: false, lastEventSeq: 0 };
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
        { sessionId: id, hasOpenRun: false, hasWaiting: true, leasedUntilMs: null, lastEventSeq: 0 },
      ]);
      expect(await store.journal.runs(id)).toMatchObject([
        { id: 'r1', outcome: { reason: 'stop' }, epoch: 2 },
      ]);
      expect((await store.sessions.read(id)).status).toBe('idle');
    });

    it('are found by their id, as those that have not ended, and as the newest, oldest first', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      const ids = ['r1', 'r2', 'r3', 'r4'];
      await store.write(
        lease,
        ids.map((runId) => ({ type: 'run-started', runId })),
      );
      await store.write(lease, [{ type: 'run-ended', runId: 'r3', outcome: null }]);
      const found = async (query?: RunQuery): Promise<readonly string[]> =>
        (await store.journal.runs(id, query)).map((run) => run.id);
      expect(await found()).toEqual(ids);
      expect(await found({ id: 'r2' })).toEqual(['r2']);
      expect(await found({ id: 'r5' })).toEqual([]);
      expect(await found({ isOpen: true })).toEqual(['r1', 'r2', 'r4']);
      expect(await found({ limit: 2 })).toEqual(['r3', 'r4']);
      expect(await found({ isOpen: true, limit: 2 })).toEqual(['r2', 'r4']);
      expect(await found({ id: 'r3', isOpen: true })).toEqual([]);
      expect(await found({ limit: 0 })).toEqual([]);
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
}
