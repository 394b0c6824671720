import { DatabaseSync } from 'node:sqlite';
import { ContextError } from '@throughline/core';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeSqliteDialect } from '../../sqlite/node-sqlite-dialect.ts';
import { Database } from './database.ts';
import type { Engine, Lasting } from './database.ts';

const waits = 'pragma synchronous = full';
const hurries = 'pragma synchronous = normal';
let sqlite: DatabaseSync;
let database: Database;

beforeEach(() => {
  sqlite = new DatabaseSync(':memory:');
  sqlite.exec('create table notes (text text not null unique)');
  const engine = {
    dialect: nodeSqliteDialect(sqlite),
    failureOf: (error: unknown) => error,
    isBusy: () => false,
    isRefusal: () => false,
    closed: () => new Error('closed'),
    setWaiting: async (_: unknown, isWaiting: boolean) => sqlite.exec(isWaiting ? waits : hurries),
  };
  database = new Database(engine, 100);
});

afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

function note(text: string, lasting: Lasting = 'for-ever'): Promise<string> {
  return database.write(
    async (tx) => {
      await sql`insert into notes (text) values (${text})`.execute(tx);
      return text;
    },
    { lasting },
  );
}

async function notes(): Promise<readonly string[]> {
  return await database.read(async (tx) => {
    const { rows } = await sql<{ text: string }>`select text from notes order by rowid`.execute(tx);
    return rows.map(({ text }) => text);
  });
}

describe('What is written in one turn of the event loop', () => {
  it('is one transaction, in its order, and each is told its own result', async () => {
    const exec = vi.spyOn(sqlite, 'exec');
    expect(await Promise.all(['one', 'two', 'three'].map((text) => note(text)))).toEqual([
      'one',
      'two',
      'three',
    ]);
    expect(exec.mock.calls.map(([command]) => command)).toEqual(['begin immediate', 'commit']);
    expect(await notes()).toEqual(['one', 'two', 'three']);
  });

  it('is stored without the one that fails', async () => {
    const written = await Promise.allSettled([note('one'), note('one'), note('two')]);
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await notes()).toEqual(['one', 'two']);
  });

  it('gives way to others where it is a lot, and is all stored before the database is closed', async () => {
    const exec = vi.spyOn(sqlite, 'exec');
    const texts = Array.from({ length: 150 }, (_, index) => String(index));
    const writing = Promise.all(texts.map((text) => note(text)));
    await database[Symbol.asyncDispose]();
    expect(await writing).toEqual(texts);
    expect(exec.mock.calls.filter(([command]) => command === 'commit')).toHaveLength(3);
  });
});

describe('What need not outlive a power failure', () => {
  it('is stored without waiting for the disk, and what comes behind it waits again', async () => {
    const exec = vi.spyOn(sqlite, 'exec');
    await note('lease', 'while-machine-runs');
    await note('message');
    expect(exec.mock.calls.map(([command]) => command)).toEqual([
      hurries,
      'begin immediate',
      'commit',
      waits,
      'begin immediate',
      'commit',
    ]);
  });

  it('waits with the others of its transaction', async () => {
    const exec = vi.spyOn(sqlite, 'exec');
    await Promise.all([note('lease', 'while-machine-runs'), note('message')]);
    expect(exec.mock.calls.map(([command]) => command)).toEqual(['begin immediate', 'commit']);
  });

  it('leaves the next to wait, also where it fails', async () => {
    await note('lease');
    const exec = vi.spyOn(sqlite, 'exec');
    await expect(note('lease', 'while-machine-runs')).rejects.toThrow('UNIQUE');
    expect(exec.mock.calls.at(-1)).toEqual([waits]);
  });
});

describe('Where others write at the same time', () => {
  const over = (added: Partial<Engine>): Database =>
    new Database(
      {
        dialect: nodeSqliteDialect(sqlite),
        failureOf: (error) => error,
        isBusy: () => false,
        isRefusal: () => false,
        closed: () => new Error('closed'),
        ...added,
      },
      100,
    );

  it('what a row of another was in the way of is tried once more, and no oftener', async () => {
    const other = over({ isRace: (error) => String(error).includes('UNIQUE') });
    let attempts = 0;
    const noteTwice = (isThereAgain: boolean): Promise<unknown> =>
      other.write(async (tx) => {
        attempts += 1;
        if (attempts === 1 || isThereAgain) await sql`insert into notes (text) values ('one')`.execute(tx);
      });
    await note('one');
    await noteTwice(false);
    expect(attempts).toBe(2);
    attempts = 0;
    await expect(noteTwice(true)).rejects.toThrow('UNIQUE');
    expect(attempts).toBe(2);
  });

  it('what the store itself refuses reaches the caller, whatever the engine makes of errors', async () => {
    const refused = new ContextError('not-found', 'There is none.', { kind: 'session', id: 's1', known: [] });
    const other = over({ failureOf: () => new Error('the database is gone'), isBusy: () => true });
    await expect(other.write(() => Promise.reject(refused))).rejects.toBe(refused);
    await expect(other.read(() => Promise.reject(refused))).rejects.toBe(refused);
  });

  it('a commit that need not last is hurried inside of its transaction, and no other', async () => {
    const hurried: boolean[] = [];
    const other = over({ hurry: async () => void hurried.push(sqlite.isTransaction) });
    await other.write((tx) => sql`insert into notes (text) values ('lasts')`.execute(tx));
    expect(hurried).toEqual([]);
    await other.write((tx) => sql`insert into notes (text) values ('lease')`.execute(tx), {
      lasting: 'while-machine-runs',
    });
    expect(hurried).toEqual([true]);
  });
});
