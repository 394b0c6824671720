import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openMemoryStore } from '../../index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('A query over a partial index', () => {
  it('names what the index is made over, so that it is planned once and not each time', async () => {
    await using store = await openMemoryStore();
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    const { id } = await store.sessions.create({});
    await store.inbox.accept(id, { content: 'Hello.' });
    const lease = await store.leases.acquire(id, 'somebody', 1_000);
    if (!lease) throw new Error('Nobody else has it.');
    const message = { id: 'm', role: 'user', parts: [] } as const;
    await store.write(lease, [{ type: 'deliver', runId: 'r', compose: () => ({ message: { message } }) }]);
    await store.leases.release(lease);
    await store.sessions.list({});
    await store.journal.unfinished();
    const queries = prepare.mock.calls.map(([query]) => query);
    expect(queries.some((query) => query.includes('"is_hidden" = 0'))).toBe(true);
    expect(queries.some((query) => query.includes(`"state" = 'accepted'`))).toBe(true);
    expect(queries.filter((query) => /where .*"(is_hidden|state)" = \?/.test(query))).toEqual([]);
  });
});
