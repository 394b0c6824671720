import { afterAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';
import { checkStored } from './check-whole.ts';
import { countingIds } from '../src/contract/test-store.ts';
import { openTestDatabase } from './postgres-stores.ts';
import { runProcess } from './processes.ts';
import type { TestDatabase } from './postgres-stores.ts';

const database = await openTestDatabase('processes');

if (typeof database === 'string') {
  describe('several processes on Postgres', () => it.skip(database));
} else {
  afterAll(() => database[Symbol.asyncDispose]());
  describeProcesses(database);
}

function describeProcesses({ url, pool }: TestDatabase): void {
  it('processes that begin on an empty database at once make its tables once, and never run one session together', async () => {
    const rounds = 10;
    const ended = await Promise.all(
      ['a', 'b'].map((who) => runProcess(['count', `${url}?schema=together`, who, `${rounds}`])),
    );
    for (const { lines, errors, exitCode } of ended)
      expect({ lines, errors, exitCode }).toEqual({ lines: ['done'], errors: '', exitCode: 0 });
    await using store = await openPostgresStore({ url, schema: 'together' });
    expect(await store.value('s', 'count')).toBe(2 * rounds);
    const events = await store.journal.after('s', 0);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * rounds }, (_, index) => index + 1));
    expect((await pool.query('select version from together.store_version')).rows).toHaveLength(1);
  });

  it('a process killed in a write leaves all of it or nothing, and what it said was stored', async () => {
    const open = () =>
      openPostgresStore({ url, schema: 'killed', clock: { nowMs: () => 0 }, ids: countingIds() });
    {
      await using store = await open();
      await store.sessions.create({ id: 's' });
    }
    const said: string[] = [];
    for (const [round, killAfter] of [1, 7, 18].entries()) {
      const args = ['work', `${url}?schema=killed`, `p${round}`, `${(round + 1) * 10_000}`];
      const { lines, errors } = await runProcess(args, killAfter);
      expect(errors).toBe('');
      said.push(...lines);
      await using store = await open();
      await checkStored(store, said);
    }
  });
}
