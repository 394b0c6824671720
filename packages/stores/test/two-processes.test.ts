import { expect, it } from 'vitest';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { countingIds } from './open-store.ts';
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
