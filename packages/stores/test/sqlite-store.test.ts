import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { memoryFolder } from '@throughline/testkit';
import { describeStore } from '../src/contract/store-contract.ts';
import { describeWildHistories } from './wild-histories.ts';
import { describeStoreModels } from '../src/contract/store-models.ts';
import { crashWork } from './crash-work.ts';
import { openIn } from './check-whole.ts';
import { userMessage } from '../src/contract/compacted-session.ts';
import { openInFile } from './stores.ts';

describeStore('sqlite file', openInFile);
describeWildHistories('sqlite file', openInFile);
describeStoreModels('sqlite file', openInFile);

const rowsLeft = (folder: string): readonly string[] => {
  const database = new DatabaseSync(join(folder, 'sessions.db'));
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  expect(tables.length).toBeGreaterThan(15);
  const left = tables
    .map(({ name }) => String(name))
    // How the index keeps itself, and the highest session key ever.
    .filter((name) => !/^(texts_(data|idx|config)|sqlite_sequence)$/.test(name))
    .filter((name) => database.prepare(`select 1 from ${name} limit 1`).get() !== undefined);
  database.close();
  return left;
};

it('a deleted session leaves no row in any table', async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-rows-'));
  const store = await openIn(folder);
  await store.sessions.create({ id: 's' });
  for await (const line of crashWork(store, 'p')) if (line.startsWith('streamed 2')) break;
  await store.attachments.keepOutput('s', 'c', 'the whole output');
  await store.approvals.grant('s', 'bash', 'session');
  await store.sessions.delete('s');
  await store[Symbol.asyncDispose]();
  expect(rowsLeft(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

it('what a process that died in the middle of an import has left goes once it is clear that nobody goes on', async () => {
  const opened = await openInFile();
  const { store, clock } = opened;
  await store.sessions.create({ id: 's' });
  const lease = await store.leases.acquire('s', 'p', 1_000);
  if (!lease) throw new Error('expected a lease');
  await store.write(
    lease,
    Array.from({ length: 450 }, (_, index) => ({
      type: 'message',
      message: userMessage(`u${index}`, 'text'),
    })),
  );
  await store.attachments.keep('s', new Uint8Array([1]));
  const lines: string[] = [];
  for await (const line of store.sessions.export('s')) lines.push(line);
  await store.sessions.delete('s');

  const stopped = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  async function* stopping(): AsyncGenerator<string> {
    yield* lines;
    stopped.resolve();
    await rest.promise;
    throw new Error('too late');
  }
  const importing = store.sessions.import(stopping());
  await stopped.promise;
  const database = join(opened.folder, 'sessions.db');
  const hidden = (): unknown => {
    const other = new DatabaseSync(database, { readOnly: true });
    const row = other
      .prepare('select (select count(*) from sessions) s, (select count(*) from parts) p')
      .get();
    other.close();
    return { ...row };
  };
  await opened.again();
  expect(hidden()).toEqual({ s: 1, p: 450 });
  clock.advance(3_600_000);
  await opened.again();
  expect(hidden()).toEqual({ s: 0, p: 0 });
  rest.resolve();
  await expect(importing).rejects.toThrow('too late');
  await opened[Symbol.asyncDispose]();
});

it('finds the chunks of an event by their index, however many events a session has', async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-plan-'));
  await (await openIn(folder))[Symbol.asyncDispose]();
  {
    using database = new DatabaseSync(join(folder, 'sessions.db'));
    const plan = database
      .prepare('explain query plan delete from events where session_key = ? and chunk_of = ?')
      .all(1, 'c');
    expect(plan).toMatchObject([{ detail: expect.stringContaining('events_chunks') }]);
  }
  await rm(folder, { recursive: true });
});

it('counts the sessions of an owner by their index, however many others have', async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-plan-'));
  const asked = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => asked.mockRestore());
  const store = await openIn(folder);
  await store.usage?.sessions('ada');
  await store[Symbol.asyncDispose]();
  const text = asked.mock.calls.map(([one]) => one).find((one) => one.includes("owner <> ''"));
  {
    using database = new DatabaseSync(join(folder, 'sessions.db'));
    const plan = database.prepare(`explain query plan ${text}`).all();
    expect(plan).toMatchObject([{ detail: expect.stringContaining('sessions_by_owner') }]);
  }
  await rm(folder, { recursive: true });
});

it('a long context is whole, and others are answered while it is read', async () => {
  const opened = await openInFile();
  const { store } = opened;
  await store.sessions.create({ id: 's' });
  const lease = await store.leases.acquire('s', 'p', 60_000);
  if (!lease) throw new Error('expected a lease');
  await store.write(
    lease,
    Array.from({ length: 3_500 }, (_, index) => ({
      type: 'message',
      message: userMessage(`u${index}`, `text ${index}`),
    })),
  );
  const ended: string[] = [];
  const reading = store.history.context('s').then((context) => {
    ended.push('context');
    return context;
  });
  await store.history.page('s', { limit: 1 });
  ended.push('page');
  const { messages, historyLength } = await reading;
  expect(ended).toEqual(['page', 'context']);
  expect(historyLength).toBe(3_500);
  expect(messages).toEqual(await store.history.messages('s', 0, 3_500));
});
