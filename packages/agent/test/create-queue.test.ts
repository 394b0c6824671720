import { describe, expect, it, onTestFinished } from 'vitest';
import { composeWaiting } from '../src/queue/compose-waiting.ts';
import { createQueue } from '../src/queue/create-queue.ts';
import { base64Of, pngBytes } from './media-samples.ts';
import { openInMemory } from './open-stores.ts';
import type { RunWrite, SessionStore, StoredEvent, Written } from '@throughline/ports';
import type { MessageQueue } from '../src/queue/create-queue.ts';

interface QueueTest {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly queue: MessageQueue;
  readonly published: StoredEvent[];
  readonly write: (writes: readonly RunWrite[]) => Promise<Written>;
  readonly deliver: () => Promise<Written>;
}

async function openQueueTest(isBusy = true): Promise<QueueTest> {
  const opened = await openInMemory();
  onTestFinished(() => opened.close());
  const store = await opened.open();
  const { id: sessionId } = await store.sessions.create();
  const lease = await store.leases.acquire(sessionId, 'run', 1_000);
  if (!lease) throw new Error('expected a lease');
  const published: StoredEvent[] = [];
  const write = (writes: readonly RunWrite[]): Promise<Written> => store.write(lease, writes);
  return {
    store,
    sessionId,
    published,
    queue: createQueue({
      store,
      sessionId,
      publish: (events) => void published.push(...events),
      isBusy: () => isBusy,
    }),
    write,
    deliver: () =>
      write([{ type: 'deliver', compose: (waiting) => composeWaiting(waiting, { nowMs: 1, runId: 'r1' }) }]),
  };
}

describe('createQueue', () => {
  it('says at once where the message stands, and publishes what was stored', async () => {
    const { queue, published, store, sessionId } = await openQueueTest();
    expect((await queue.accept('one', 'a')).item.position).toBe(1);
    expect((await queue.accept('two', 'b')).item.position).toBe(2);
    expect(await queue.edit('a', 'one and a half')).toBe(true);
    expect(await queue.remove('b')).toBe(true);
    expect(published.map(({ type, data }) => [type, data])).toEqual([
      ['message:queued', { id: 'a', position: 1 }],
      ['message:queued', { id: 'b', position: 2 }],
      ['message:updated', { id: 'a' }],
      ['message:removed', { id: 'b' }],
    ]);
    expect(await store.journal.after(sessionId, 0)).toEqual(published);
    expect(await queue.list()).toMatchObject([
      { id: 'a', content: { parts: [{ type: 'text', text: 'one and a half' }] } },
    ]);
  });

  it('tells of a message that waits only while a run is busy', async () => {
    const { queue, published } = await openQueueTest(false);
    const { events } = await queue.accept('one');
    expect([events, published]).toEqual([[], []]);
  });

  it('changes and publishes nothing when a message does not wait any more', async () => {
    const { queue, published, deliver } = await openQueueTest(false);
    await queue.accept('one', 'a');
    await deliver();
    expect(await queue.edit('a', 'two')).toBe(false);
    expect(await queue.remove('a')).toBe(false);
    expect(await queue.remove('nobody')).toBe(false);
    expect(published).toEqual([]);
  });

  it('delivers under the id that the client has given, and that the event names', async () => {
    const { queue, deliver, store, sessionId } = await openQueueTest();
    await queue.accept([{ type: 'image', data: base64Of(pngBytes(1, 1)), mediaType: 'image/png' }], 'mine');
    await queue.accept('and this', 'theirs');
    const { events, messages } = await deliver();
    expect(messages).toEqual([{ id: 'mine', ordinal: 0 }]);
    expect(events).toMatchObject([{ data: { ids: ['mine', 'theirs'], messageId: 'mine' } }]);
    expect(await store.inbox.item(sessionId, 'theirs')).toMatchObject({ messageId: 'mine' });
  });

  it('refuses an id that a message of the history has, because it could never be delivered', async () => {
    const { queue, deliver, write } = await openQueueTest();
    await write([{ type: 'message', message: { id: 'answer', role: 'assistant', parts: [] } }]);
    await expect(queue.accept('one', 'answer')).rejects.toMatchObject({ code: 'already-exists' });
    await queue.accept('two', 'a');
    expect((await deliver()).delivered).toMatchObject([{ id: 'a' }]);
  });

  it.each(['', 'a\nb', 'a\0', 'a\uD800', 'x'.repeat(201), 7, null])('refuses the id %j', async (id) => {
    const { queue } = await openQueueTest();
    await expect(queue.accept('one', id as string)).rejects.toMatchObject({
      code: 'invalid-option',
      details: { option: 'id' },
    });
    expect(await queue.list()).toEqual([]);
  });

  it('stores nothing of a message that is not in order', async () => {
    const { queue, published, store, sessionId } = await openQueueTest();
    await expect(queue.accept('')).rejects.toMatchObject({ code: 'invalid-option' });
    await queue.accept('one', 'a');
    await expect(queue.edit('a', [])).rejects.toMatchObject({ code: 'invalid-option' });
    expect(published).toHaveLength(1);
    expect(await store.inbox.item(sessionId, 'a')).toMatchObject({
      content: { parts: [{ type: 'text', text: 'one' }] },
    });
  });
});
