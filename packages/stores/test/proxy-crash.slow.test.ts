import { expect, it, onTestFinished } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { checkProxy } from './check-proxy.ts';
import { memoryBlobs, openSqliteStore } from '../src/index.ts';
import { runProcess } from './processes.ts';

// Lines said before the kill: it falls somewhere in what follows, ever elsewhere by the way the processes are scheduled.
const kills = [1, 3, 4, 23, 61];

it('a process killed while it stores or deletes what the proxy keeps leaves nothing without its messages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'sessions.db');
  const said: string[] = [];
  for (const [round, killAfter] of kills.entries()) {
    const { lines, errors } = await runProcess(['proxy', folder, `p${round}`], killAfter);
    expect(errors).toBe('');
    expect(lines.length).toBeGreaterThanOrEqual(killAfter);
    said.push(...lines);
    {
      using database = new DatabaseSync(file);
      expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
      expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
    }
    await using store = await openSqliteStore({ file, blobs: memoryBlobs() });
    await checkProxy(store.proxy, said);
  }
  const later = { nowMs: () => Date.now() + 3_600_001 };
  await using store = await openSqliteStore({ file, blobs: memoryBlobs(), clock: later });
  await store.proxy.prune({});
  await checkProxy(store.proxy, said);
  expect(await store.proxy.prune({ maxBytes: 0 })).toMatchObject({ keptBytes: 0 });
  using database = new DatabaseSync(file);
  expect(database.prepare('select count(*) as rows from proxy_messages').get()).toMatchObject({ rows: 0 });
});
