import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createStore } from '../sql/create-store.ts';
import { Database } from '../sql/kit/database.ts';
import { ftsIndex, openSqliteStore } from './open-sqlite-store.ts';
import { memoryBlobs } from '../blobs.ts';
import { migrations } from './migrations.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openDatabase } from './open-database.ts';
import { isBusy, sqliteFailure } from './sqlite-failure.ts';
import type { SessionStore } from '@throughline/ports';

let folder = '';
let file = '';
let count = 0;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'throughline-open-'))));
beforeEach(() => void (file = join(folder, `${(count += 1)}.db`)));
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (path = file, lockTimeoutMs = 100): Promise<SessionStore> =>
  openSqliteStore({
    file: path,
    blobs: memoryBlobs(),
    clock: { nowMs: () => 0 },
    ids: { nextId: (kind) => `${kind}-${(count += 1)}` },
    lockTimeoutMs,
  });

/** Closed at the end of the test at the latest. */
async function opened(path = file): Promise<SessionStore> {
  const store = await open(path);
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

const tablesOf = (): unknown[] => {
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare('select name, sql from sqlite_master order by name').all();
};

describe('a file that cannot be used', () => {
  it('is told by its reason where the folder is missing, or it is a folder', async () => {
    await expect(open(join(folder, 'no', 'such.db'))).rejects.toMatchObject({
      code: 'store-failed',
      details: { store: join(folder, 'no', 'such.db'), reason: 'no-such-folder' },
    });
    await expect(open(folder)).rejects.toMatchObject({ details: { reason: 'not-a-store' } });
  });

  it('is left as it is where it is something else', async () => {
    const text = 'This is a letter, and no database at all. '.repeat(40);
    writeFileSync(file, text);
    await expect(open()).rejects.toMatchObject({ code: 'store-failed', details: { reason: 'not-a-store' } });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is left as it is where another program’s tables are in it', async () => {
    {
      using database = new DatabaseSync(file);
      database.exec('create table notes (text)');
    }
    const before = readFileSync(file);
    await expect(open()).rejects.toMatchObject({ details: { reason: 'not-a-store' } });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('of a newer version is refused in a sentence that names both, and left as it is', async () => {
    await (await open())[Symbol.asyncDispose]();
    {
      using database = new DatabaseSync(file);
      database.exec('pragma user_version = 999');
    }
    const before = readFileSync(file);
    const newest = migrations.at(-1)?.version ?? 0;
    await expect(open()).rejects.toMatchObject({
      code: 'store-version',
      message: expect.stringMatching(new RegExp(`version 999, .* up to ${newest}`)),
      details: { store: file, storedVersion: 999, supportedVersion: newest },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('tells that it is damaged when the damage is met', async () => {
    const store = await opened();
    const { id } = await store.sessions.create({ id: 's' });
    for (let index = 0; index < 50; index += 1) await store.inbox.accept(id, { content: 'x'.repeat(1_000) });
    await store[Symbol.asyncDispose]();
    const bytes = readFileSync(file);
    for (let at = 4096; at < bytes.length; at += 1) bytes[at] = (at * 31) % 251;
    writeFileSync(file, bytes);
    const used = opened().then((damaged) => damaged.inbox.waiting('s'));
    await expect(used).rejects.toMatchObject({
      code: 'store-failed',
      details: { reason: 'corrupt' },
      message: expect.stringMatching(/Nothing was changed in it\. Keep a copy.*\.recover/),
    });
  });

  it('tells that it is held, after it has waited and let everything else go on', async () => {
    const store = await opened();
    await store.sessions.create({ id: 's' });
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    await expect(store.inbox.accept('s', { content: 1 })).rejects.toMatchObject({
      code: 'store-failed',
      details: { reason: 'locked' },
    });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(0);
    // Who only reads need not wait.
    expect(await store.inbox.waiting('s')).toEqual([]);
    other.exec('rollback');
    await store.inbox.accept('s', { content: 1 });
  });

  it('tells that it may not grow, where the disk seems to fail', () => {
    const failed = Object.assign(new Error('disk I/O error'), { errcode: 778 });
    expect(sqliteFailure(file, failed)).toMatchObject({ details: { reason: 'other' } });
    const probe = `import { sqliteFailure } from ${JSON.stringify(new URL('./sqlite-failure.ts', import.meta.url).href)};
      const failed = Object.assign(new Error('disk I/O error'), { errcode: 778 });
      process.stdout.write(sqliteFailure(${JSON.stringify(file)}, failed).details.reason);`;
    const node = [process.execPath, '--conditions=throughline-source', '--input-type=module', '-e', probe];
    const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -f 100; exec "$@"', 'sh', ...node], {
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['full', '']);
  });

  it('tells that there is no space, and keeps what was stored', async () => {
    const sqlite = openDatabase(file);
    sqlite.exec('pragma max_page_count = 120');
    const database = new Database(
      {
        dialect: nodeSqliteDialect(sqlite),
        failureOf: (error) => sqliteFailure(file, error),
        isBusy,
        isRefusal: () => false,
        closed: () => new Error('closed'),
      },
      100,
    );
    const ids = { nextId: (kind: string) => `${kind}-${(count += 1)}` };
    const surroundings = { textIndex: ftsIndex, blobs: memoryBlobs(), clock: { nowMs: () => 0 }, ids };
    const store = await createStore({ database, ...surroundings });
    const { id } = await store.sessions.create();
    let accepted = 0;
    const fill = async (): Promise<never> => {
      for (;;) {
        await store.inbox.accept(id, { content: 'x'.repeat(5_000) }, () => [{ type: 'queued', data: null }]);
        accepted += 1;
      }
    };
    await expect(fill()).rejects.toMatchObject({
      code: 'store-failed',
      details: { store: file, reason: 'full' },
    });
    expect(accepted).toBeGreaterThan(5);
    // And it is of use: what takes no more room goes on, what was stored is all there, and half of nothing.
    expect(await store.inbox.waiting(id)).toHaveLength(accepted);
    expect((await store.journal.after(id, 0)).map(({ seq }) => seq)).toHaveLength(accepted);
    expect((await store.sessions.read(id)).lastEventSeq).toBe(accepted);
    await store[Symbol.asyncDispose]();
    expect(await (await opened()).inbox.waiting(id)).toHaveLength(accepted);
  });

  it.each([
    [8, 'not-permitted'],
    [1032, 'not-permitted'],
    [13, 'full'],
    [261, 'locked'],
    [779, 'corrupt'],
    [1, 'other'],
  ])('is told by SQLite’s code %i as %s', (errcode, reason) => {
    const error = Object.assign(new Error('words of SQLite'), { errcode });
    expect(sqliteFailure('f', error)).toMatchObject({
      code: 'store-failed',
      details: { reason },
      cause: error,
    });
    expect(isBusy(error)).toBe(reason === 'locked');
  });

  // The rights of a file mean nothing to root.
  it.runIf(process.getuid?.() !== 0)('tells that it may not be written', async () => {
    await (await open())[Symbol.asyncDispose]();
    chmodSync(file, 0o444);
    const written = opened().then((damaged) => damaged.sessions.create());
    await expect(written).rejects.toMatchObject({ details: { reason: 'not-permitted' } });
  });

  it('tells that it is closed, and closing waits for what is under way', async () => {
    const store = await open();
    const creating = store.sessions.create({ id: 's' });
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    expect((await creating).id).toBe('s');
    await expect(store.sessions.list()).rejects.toMatchObject({
      code: 'store-failed',
      details: { reason: 'closed' },
    });
  });
});

describe('migrations', () => {
  const newest = migrations.at(-1)?.version ?? 0;

  it('go forward step by step, each once, and keep what is stored', async () => {
    await (await open())[Symbol.asyncDispose]();
    const more = [
      ...migrations,
      { version: newest + 1, sql: 'alter table sessions add column colour text' },
      { version: newest + 2, sql: "update sessions set colour = 'green'" },
    ];
    openDatabase(file).exec(
      "insert into sessions (id, owner, status, created_at_ms, updated_at_ms) values ('s', '', 'idle', 0, 0)",
    );
    openDatabase(file, more).close();
    const database = openDatabase(file, more);
    expect(database.prepare('select id, colour from sessions').all()).toMatchObject([
      { id: 's', colour: 'green' },
    ]);
    expect(database.prepare('pragma user_version').get()).toMatchObject({ user_version: newest + 2 });
    database.close();
  });

  it('take columns out that nobody used, and keep what is stored', async () => {
    const before = openDatabase(file, migrations.slice(0, 3));
    before.exec(`
      insert into sessions (id, owner, status, created_at_ms, updated_at_ms, message_count, text_count)
        values ('s', 'o', 'idle', 1, 1, 1, 1);
      insert into messages (session_key, ordinal, id, role, is_summary, is_open, created_at_ms, head)
        values (1, 0, 'u', 'user', 0, 0, 1, '{"id":"u","role":"user","parts":[]}');
      insert into parts (key, session_key, ordinal, part, type, content, tokens, is_truncated, is_open)
        values (1, 1, 0, 0, 'text', '{"type":"text","text":"hello"}', 7, 1, 0);
    `);
    before.close();
    const store = await opened();
    expect(await store.history.page('s')).toMatchObject({
      items: [
        { message: { id: 'u', parts: [{ type: 'text', text: 'hello' }] }, marks: [{ isTruncated: true }] },
      ],
    });
    await store[Symbol.asyncDispose]();
    using after = new DatabaseSync(file);
    const columns = (table: string): readonly unknown[] =>
      after
        .prepare(`select name from pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => name);
    expect(columns('messages')).not.toContain('is_summary');
    expect(columns('parts')).not.toContain('tokens');
    expect(columns('parts')).not.toContain('original_tokens');
  });

  it('take approvals out that were used, and keep the others', async () => {
    const [first] = migrations;
    const database = openDatabase(file, first ? [first] : []);
    database.exec(`
      insert into sessions (id, owner, status, created_at_ms, updated_at_ms) values ('s', '', 'idle', 0, 0), ('t', '', 'idle', 0, 0);
      insert into approvals (session_key, id, position, request, requested_at_ms, answer)
        values (1, 'used', 0, '1', 0, '2'), (1, 'open', 1, '1', 0, null), (2, 'used', 0, '1', 0, '2');
      insert into session_values (session_key, name, value) values (1, 'used-approvals', '["used"]'), (1, 'todos', '[]');
    `);
    database.close();
    await using store = await opened();
    expect((await store.approvals.list('s')).map(({ id }) => id)).toEqual(['open']);
    expect((await store.approvals.list('t')).map(({ id }) => id)).toEqual(['used']);
    expect(await store.value('s', 'used-approvals')).toBeNull();
    expect(await store.value('s', 'todos')).toEqual([]);
  });

  it('give the file of a store that had nothing of a proxy its tables, and keep what is stored', async () => {
    const before = openDatabase(file, migrations.slice(0, 7));
    before.exec(
      "insert into sessions (id, owner, status, created_at_ms, updated_at_ms) values ('s', '', 'idle', 0, 0)",
    );
    before.close();
    await using store = await opened();
    expect((await store.sessions.read('s')).id).toBe('s');
    expect(await store.proxy.addMessages('scope', null, [{ hash: 'h', message: '{}' }])).toBe(true);
    expect(await store.proxy.knownLength('scope', ['h'])).toBe(1);
  });

  it('that fail leave the file as it was, version and all', async () => {
    await (await open())[Symbol.asyncDispose]();
    const before = tablesOf();
    const broken = [
      ...migrations,
      { version: newest + 1, sql: 'create table extra (a); insert into extra values (1)' },
      { version: newest + 2, sql: 'create table other (a); insert into nowhere values (1)' },
    ];
    expect(() => openDatabase(file, broken)).toThrow(/nowhere/);
    expect(tablesOf()).toEqual(before);
    await (await open())[Symbol.asyncDispose]();
  });

  it('that fail on a new file leave an empty one, which can be used', async () => {
    expect(() => openDatabase(file, [{ version: 1, sql: 'create table a (b); nonsense' }])).toThrow();
    expect(tablesOf()).toEqual([]);
    await (await open())[Symbol.asyncDispose]();
  });
});
