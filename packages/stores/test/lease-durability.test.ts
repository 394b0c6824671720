import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { openInFile } from './stores.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the commits of this work wait for, in their order: a pragma sets it for those behind it. */
async function commitsOf(folder: string, work: () => Promise<unknown>): Promise<readonly string[]> {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  await work();
  let level = 'full';
  // What other tests left open in this process writes too.
  const isOfThisStore = (index: number): boolean => {
    const database = exec.mock.contexts[index];
    return database instanceof DatabaseSync && (database.location() ?? '').startsWith(folder);
  };
  return exec.mock.calls.flatMap(([command], index) => {
    if (!isOfThisStore(index)) return [];
    level = /synchronous = (\w+)/.exec(command)?.[1] ?? level;
    return command === 'commit' ? [level] : [];
  });
}

it('leases do not wait for the disk; messages, and what a run writes, do', async () => {
  await using opened = await openInFile();
  const { store, folder } = opened;
  await store.sessions.create({ id: 's' });
  const commits = await commitsOf(folder, async () => {
    await store.inbox.accept('s', { content: 'hello' });
    const lease = await store.leases.acquire('s', 'p', 1_000);
    if (!lease) throw new Error('expected a lease');
    await store.leases.renew(lease, 1_000);
    await store.write(lease, [{ type: 'status', status: 'running' }]);
    await store.leases.release(lease);
    await store.inbox.accept('s', { content: 'once more' });
  });
  expect(commits).toEqual(['full', 'normal', 'normal', 'full', 'normal', 'full']);
});
