import { BatchWriter } from './batch-writer.ts';
import { createVirtualTime, rest } from '../../test/agent/virtual-time.ts';
import { expect, it } from 'vitest';
import type { Lease, RunWrite, SessionStore, StoredEvent } from '@throughline/ports';

const lease: Lease = { sessionId: 's', owner: 'o', epoch: 1, expiresAtMs: 0 };

function event(type: string, key?: string): RunWrite {
  return { type: 'event', event: { type, data: null, ...(key === undefined ? {} : { chunkOf: key }) } };
}

/** A store that takes as long as it is told to, and a writer over it. */
function open(fails: () => Error | undefined = () => undefined) {
  const time = createVirtualTime();
  const stored: (readonly RunWrite[])[] = [];
  const published: string[] = [];
  const failures: unknown[] = [];
  let seq = 0;
  const write: SessionStore['write'] = async (_, writes) => {
    await Promise.resolve();
    const error = fails();
    if (error) throw error;
    stored.push(writes);
    const events = writes.flatMap((one): StoredEvent[] =>
      one.type === 'event'
        ? [{ seq: (seq += 1), type: one.event.type, data: one.event.data, runId: null, atMs: 0 }]
        : [],
    );
    return { messages: [], events, delivered: [] };
  };
  const writer = new BatchWriter({
    store: { write } as SessionStore,
    lease: () => lease,
    timer: time,
    publish: (events) => void published.push(...events.map(({ type }) => type)),
    onFailure: (error) => void failures.push(error),
  });
  return { writer, time, stored, published, failures };
}

const piece = (text: string, key = 'k'): Parameters<BatchWriter['addPiece']>[0] => ({
  key,
  text,
  writesOf: (joined) => [event(joined, key)],
});

it('stores what comes within 50 ms in one transaction, and tells it then', async () => {
  const { writer, time, stored, published } = open();
  writer.add(event('a'));
  writer.add(event('b'), event('c'));
  await time.advance(49);
  expect(published).toEqual([]);
  await time.advance(1);
  expect(stored).toHaveLength(1);
  expect(published).toEqual(['a', 'b', 'c']);
});

it('joins pieces of one key that follow each other, and keeps their place among the rest', async () => {
  const { writer, published } = open();
  writer.addPiece(piece('on'));
  writer.addPiece(piece('ce'));
  writer.addPiece(piece('other', 'l'));
  writer.addPiece(piece(' upon'));
  writer.add(event('x'));
  writer.addPiece(piece(' a time'));
  await writer.commit();
  expect(published).toEqual(['once', 'other', ' upon', 'x', ' a time']);
});

it('stores in the order of the calls, however long each takes', async () => {
  const { writer, published } = open();
  const commits = [writer.commit(event('a')), writer.commit(event('b'))];
  writer.add(event('c'));
  commits.push(writer.commit());
  await Promise.all(commits);
  expect(published).toEqual(['a', 'b', 'c']);
});

it('stores nothing more after a failure, and tells it once', async () => {
  let error: Error | undefined = new Error('disk full');
  const { writer, time, stored, published, failures } = open(() => error);
  writer.add(event('a'));
  await time.advance(50);
  expect(failures).toEqual([error]);
  const first = error;
  error = undefined;
  await expect(writer.commit(event('b'))).rejects.toBe(first);
  writer.add(event('c'));
  await time.advance(50);
  await rest();
  expect([stored, published, failures]).toEqual([[], [], [first]]);
});
