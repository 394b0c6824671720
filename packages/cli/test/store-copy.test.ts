import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { join } from 'node:path';
import { openPostgresStore } from '@throughline/stores/postgres';
import { randomIds } from '@throughline/ports';
import { readdir } from 'node:fs/promises';
import { testPostgres } from '@throughline/testkit';
import { captureCli, temporaryFolder } from './support.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { Composition } from '../src/composition/composition.ts';
import type { SessionStore } from '@throughline/ports';

const server = await testPostgres();
const address = 'postgres://ada:pw-1@db.example/agents';

/** Where the address of the test leads: tables of its own, as the database of somebody would be. */
function compositionFor(url: string, schema: string): Composition {
  return {
    ...realComposition,
    openStoreFrom: (config) =>
      config.type === 'postgres'
        ? openPostgresStore({ url, schema, ids: randomIds, connections: 3 })
        : realComposition.openStoreFrom(config),
  };
}

let schemas = 0;

interface Place {
  readonly file: string;
  readonly sqlite: (name?: string) => Promise<SessionStore>;
  readonly postgres: () => Promise<SessionStore>;
  /** `store copy` with these arguments. */
  readonly copy: (
    args: readonly string[],
    signal?: AbortSignal,
  ) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

function placeOn(url: string): Place {
  const folder = temporaryFolder();
  const composition = compositionFor(url, `copy_${process.pid}_${(schemas += 1)}`);
  const opened = async (opening: Promise<SessionStore>): Promise<SessionStore> => {
    const store = await opening;
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  const sqliteConfig = (name: string) =>
    ({
      type: 'sqlite',
      file: join(folder, name, 's.db'),
      blobs: { folder: join(folder, name, 'blobs') },
    }) as const;
  const postgresConfig = { type: 'postgres', databaseUrl: address, connections: 3, blobs: {} } as const;
  return {
    file: sqliteConfig('here').file,
    sqlite: (name = 'here') => opened(composition.openStoreFrom(sqliteConfig(name))),
    postgres: () => opened(composition.openStoreFrom(postgresConfig)),
    async copy(args, signal = new AbortController().signal) {
      const cli = captureCli({
        workingFolder: folder,
        env: { DATABASE_URL: address },
        compose: () => Promise.resolve(composition),
        watchInterrupts: () => signal,
      });
      const code = await runCommandLine(['store', 'copy', ...args], cli, '0.0.0');
      return { code, out: cli.stdout(), err: cli.stderr() };
    },
  };
}

/** Sessions of two owners, with all that a session may have. */
async function fill(store: SessionStore, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const id = `s${at}`;
    await store.sessions.create({
      id,
      owner: at % 2 === 0 ? 'ada' : 'bo',
      title: `Löschen 日本 ${at}`,
      folder: '/w',
    });
    const lease = await store.leases.acquire(id, 'test', 60_000);
    if (!lease) throw new Error('There is a lease.');
    const hash = await store.attachments.keep(id, new Uint8Array([at, 255, 0, 7]), 'image/png');
    await store.attachments.keepOutput(id, 'call-1', `line \u0000 ${at}\n`.repeat(300));
    await store.write(lease, [
      { type: 'run-started', runId: `r${at}` },
      {
        type: 'message',
        message: {
          id: 'a',
          role: 'user',
          parts: [{ type: 'text', text: `NUL \u0000, half \ud800, @blob:${hash}` }],
        },
      },
      {
        type: 'message',
        message: { id: 'b', role: 'assistant', parts: [{ type: 'text', text: '' }] },
        isOpen: true,
      },
      { type: 'value', name: 'todos', value: [{ text: 'x', 2: 1, 1: 2 }] },
      { type: 'event', event: { type: 'step-started', data: { b: 1, a: [null, 1.5] } } },
      { type: 'run-ended', runId: `r${at}`, outcome: 'done' },
    ]);
    await store.inbox.accept(id, { id: `i${at}`, content: { text: 'later' } });
    await store.approvals.grant(id, { tool: 'bash' }, 'session');
    await store.leases.release(lease);
  }
}

/** What each session comes out as. */
async function contents(store: SessionStore): Promise<Readonly<Record<string, string>>> {
  const { items } = await store.sessions.list({ limit: 100 });
  const read = items.map(async ({ id }) => {
    const hash = createHash('sha256');
    for await (const line of store.sessions.export(id)) hash.update(`${line}\n`);
    return [id, hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

describe.skipIf(typeof server === 'string')('throughline store copy', () => {
  if (typeof server === 'string') return;
  const { url } = server;

  it('brings all sessions of all owners to Postgres and back, byte for byte and in their order', async () => {
    const { sqlite, postgres, copy, file } = placeOn(url);
    const here = await sqlite();
    await fill(here, 5);
    const there = await copy([file, '${DATABASE_URL}', '--json']);
    expect(there).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(there.out)).toMatchObject({
      sessions: 5,
      copied: 5,
      from: file,
      altered: [],
      atWork: [],
    });
    expect(there.out).not.toMatch(/pw-1|ada@/);
    expect((await copy([address, 'back/s.db'])).code).toBe(0);
    const back = await sqlite('back');
    const wanted = await contents(here);
    expect(Object.keys(wanted)).toHaveLength(5);
    for (const store of [await postgres(), back]) {
      expect(await contents(store)).toEqual(wanted);
      const ids = (await store.sessions.list()).items.map(({ id }) => id);
      expect(ids).toEqual((await here.sessions.list()).items.map(({ id }) => id));
      expect(await store.approvals.grants('s1')).toEqual([]);
      expect(
        (await store.history.search('s1', '日本')).length + (await store.history.search('s1', 'NUL')).length,
      ).toBe(1);
    }
  });

  it('goes on where it was cut off, and passes by what is there with the same content', async () => {
    const { sqlite, postgres, copy, file } = placeOn(url);
    const here = await sqlite();
    await fill(here, 4);
    // Cut off in the middle of the third.
    const cut = new AbortController();
    let looked = 0;
    const signal = Object.defineProperty(cut.signal, 'aborted', { get: () => (looked += 1) > 40 });
    const first = await copy([file, address], signal);
    expect(first).toMatchObject({ code: 130, out: '' });
    const there = await postgres();
    const found = (await there.sessions.list()).items.length;
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(4);
    const second = await copy([file, address, '--json']);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.out)).toMatchObject({ sessions: 4, copied: 4 - found, present: found });
    expect(await contents(there)).toEqual(await contents(here));
  });

  it('leaves another session of the same id as it is, and says so, unless it is told to replace it', async () => {
    const { sqlite, postgres, copy, file } = placeOn(url);
    const here = await sqlite();
    await fill(here, 2);
    expect((await copy([file, address])).code).toBe(0);
    await here.sessions.rename('s1', 'Another');
    const again = await copy([file, address]);
    expect(again.code).toBe(1);
    expect(again.out).toMatch(/another\s+s1: one of this id is there with other content/);
    const there = await postgres();
    expect((await there.sessions.read('s1')).title).toBe('Löschen 日本 1');
    expect((await copy([file, address, '--replace'])).code).toBe(0);
    expect(await contents(there)).toEqual(await contents(here));
  });

  it('copies nothing into the same store, whatever it is called, and makes no store to copy from', async () => {
    const { sqlite, copy, file } = placeOn(url);
    await sqlite();
    for (const args of [
      [file, file],
      [file, './here/../here/s.db'],
      [address, 'postgresql://other@127.0.0.2/agents'],
    ])
      expect(await copy(args)).toMatchObject({
        code: 2,
        err: expect.stringContaining('Both are the same store') as string,
      });
    expect(await copy(['none/s.db', address])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no file') as string,
    });
    expect(await copy([file, 'mysql://x/y'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Expected a file of SQLite') as string,
    });
    expect(await copy([file, '${NOBODY}'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('NOBODY is not set') as string,
    });
    expect(await copy([file, 'here/t.db'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--to-blobs') as string,
    });
    expect(await readdir(join(file, '..', '..'))).toEqual(['here']);
  });

  it('takes kept settings along where none are kept, and leaves those that are', async () => {
    const { sqlite, postgres, copy, file } = placeOn(url);
    const [here, there] = [await sqlite(), await postgres()];
    await here.settings?.keep(0, { auto: false });
    expect(JSON.parse((await copy([file, address, '--json'])).out)).toMatchObject({ settings: true });
    expect(await there.settings?.read()).toEqual({ revision: 1, settings: { auto: false } });
    await here.settings?.keep(1, { auto: true });
    expect(JSON.parse((await copy([file, address, '--json'])).out)).toMatchObject({ settings: false });
    expect(await there.settings?.read()).toEqual({ revision: 1, settings: { auto: false } });
  });

  it('says which sessions a run works on: what that writes from then on is not copied', async () => {
    const { sqlite, copy, file } = placeOn(url);
    const here = await sqlite();
    await fill(here, 2);
    const lease = await here.leases.acquire('s0', 'test', 60_000);
    if (!lease) throw new Error('There is a lease.');
    await here.write(lease, [{ type: 'status', status: 'running' }]);
    const { code, out } = await copy([file, address, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ copied: 2, atWork: ['s0'] });
  });
});
