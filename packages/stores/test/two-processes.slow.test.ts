import { expect, it, onTestFinished } from 'vitest';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { countingIds } from '../src/contract/test-store.ts';
import { memoryBlobs, openSqliteStore } from '../src/index.ts';
import { runProcess } from './processes.ts';

it('processes that begin on one new file at once never run one session together, and lose nothing of each other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-two-'));
  const rounds = 30;
  const ended = await Promise.all(['a', 'b'].map((who) => runProcess(['count', folder, who, `${rounds}`])));
  for (const { lines, errors, exitCode } of ended) {
    expect({ lines, errors, exitCode }).toEqual({ lines: ['done'], errors: '', exitCode: 0 });
  }
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: memoryBlobs(),
    clock: { nowMs: () => 0 },
    ids: countingIds(),
  });
  expect(await store.value('s', 'count')).toBe(2 * rounds);
  const events = await store.journal.after('s', 0);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * rounds }, (_, index) => index + 1));
  expect((await store.inbox.waiting('s')).length).toBeGreaterThanOrEqual(2 * rounds);
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

// Elsewhere a lease runs out by itself.
it.runIf(process.platform === 'linux')(
  'a session is refused while its process lives, and taken over at once when it was killed',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-killed-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const open = () => openSqliteStore({ file: join(folder, 'sessions.db'), blobs: memoryBlobs() });
    const { lines, errors } = await runProcess(['hold', folder, 'first'], 1, async () => {
      await using store = await open();
      expect(await store.leases.acquire('s', 'second', 1_000)).toBeUndefined();
      expect((await store.sessions.read('s')).status).toBe('running');
    });
    expect({ lines, errors }).toEqual({ lines: ['held'], errors: '' });
    await using store = await open();
    expect((await store.sessions.read('s')).status).toBe('idle');
    const lease = await store.leases.acquire('s', 'second', 1_000);
    expect(lease).toMatchObject({ owner: 'second', epoch: 2 });
  },
);
