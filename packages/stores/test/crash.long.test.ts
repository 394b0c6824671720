import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { checkWhole, openIn } from './check-whole.ts';
import { crashWork } from './crash-work.ts';
import { runProcess } from './processes.ts';

// Lines said before the kill: it falls somewhere in what follows, ever elsewhere by the way the processes are scheduled.
const kills = [1, 5, 8, 33];

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'throughline-crash-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function begin(name: string): Promise<string> {
  const own = join(folder, name);
  mkdirSync(own);
  const store = await openIn(own);
  await store.sessions.create({ id: 's' });
  await store[Symbol.asyncDispose]();
  return own;
}

it('a process killed while it compacts, streams or delivers leaves all of a write or nothing of it', async () => {
  const own = await begin('killed');
  const said: string[] = [];
  for (const [round, killAfter] of kills.entries()) {
    const args = ['work', own, `p${round}`, `${(round + 1) * 10_000}`];
    const { lines, errors } = await runProcess(args, killAfter);
    expect(errors).toBe('');
    expect(lines.length).toBeGreaterThanOrEqual(killAfter);
    said.push(...lines);
    await checkWhole(own, said);
  }
});

it('the files are whole before each single statement of a compaction, a stream and a delivery', async () => {
  const own = await begin('stopped');
  const store = await openIn(own);
  const said: string[] = [];
  const stopped: { readonly at: string; readonly said: readonly string[] }[] = [];
  const stop = (): void => {
    // What a kill at this moment would leave: the system has all that was written, also what is on no disk yet.
    const at = join(folder, `stopped-${stopped.length}`);
    mkdirSync(at);
    for (const name of ['sessions.db', 'sessions.db-wal']) {
      if (existsSync(join(own, name))) copyFileSync(join(own, name), join(at, name));
    }
    stopped.push({ at, said: [...said] });
  };
  const lookAgain = beforeEachStatement(stop);
  for await (const line of crashWork(store, 'p')) {
    said.push(line);
    if (line.startsWith('delivered') && said.length > 12) break;
  }
  lookAgain();
  await store[Symbol.asyncDispose]();
  expect(stopped.length).toBeGreaterThan(100);
  for (const { at, said: saidThen } of stopped) await checkWhole(at, saidThen);
});

/** Calls back before every statement that SQLite is given in this process. @returns what ends it */
function beforeEachStatement(act: () => void): () => void {
  const database = new DatabaseSync(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('select 1')) as Record<string, unknown>;
  const connection = DatabaseSync.prototype as unknown as Record<string, unknown>;
  database.close();
  const undo: (() => void)[] = [];
  for (const [owner, name] of [
    [statement, 'run'],
    [statement, 'all'],
    [connection, 'exec'],
  ] as const) {
    const original = owner[name] as (...values: unknown[]) => unknown;
    owner[name] = function probed(this: unknown, ...values: unknown[]): unknown {
      act();
      return original.apply(this, values);
    };
    undo.push(() => void (owner[name] = original));
  }
  return () => undo.forEach((restore) => restore());
}
