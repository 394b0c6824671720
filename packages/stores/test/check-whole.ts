import { expect } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { countingIds } from '../src/contract/test-store.ts';
import { folderBlobs, openSqliteStore } from '../src/index.ts';
import type { SessionStore } from '@throughline/ports';

export function openIn(folder: string): Promise<SessionStore> {
  return openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: { nowMs: () => 0 },
    ids: countingIds(),
  });
}

/**
 * Whether the files hold all that was said to be stored, and of the write that came after it all or nothing.
 */
export async function checkWhole(folder: string, said: readonly string[]): Promise<void> {
  {
    using file = new DatabaseSync(join(folder, 'sessions.db'));
    expect(file.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
    expect(file.prepare('pragma foreign_key_check').all()).toEqual([]);
    file.exec("insert into texts (texts) values ('integrity-check')");
  }
  await using store = await openIn(folder);
  await checkStored(store, said);
}

/** Whether the store holds all that was said to be stored, and of the write that came after it all or nothing. */
export async function checkStored(store: SessionStore, said: readonly string[]): Promise<void> {
  const { historyLength, state } = await store.history.context('s');
  const messages = await store.history.messages('s', 0, historyLength);
  const info = await store.sessions.read('s');
  const heard = (verb: string): string[] =>
    said.filter((line) => line.startsWith(`${verb} `)).map((line) => line.slice(verb.length + 1));

  // The compaction: message, checkpoint, state, counters, value and event, all of them or none.
  const round = state?.checkpointCount ?? 0;
  const compacted = heard('compacted').length;
  expect(round - compacted).toBeOneOf([0, 1]);
  expect(state?.head).toBe(round === 0 ? undefined : `c${round}`);
  expect((state?.changes ?? []).map(({ recallId }) => recallId)).toEqual(
    Array.from({ length: Math.min(4, round) }, (_, index) => `m${round - Math.min(4, round) + 1 + index}`),
  );
  expect((await store.history.checkpoints('s')).map(({ checkpoint }) => checkpoint.id)).toEqual(
    Array.from({ length: round }, (_, index) => `c${index + 1}`),
  );
  expect(info.compactionCount).toBe(round);
  expect(await store.value('s', 'round')).toBe(round === 0 ? null : round);
  expect(messages.filter(({ message }) => message.id.startsWith('before-'))).toHaveLength(round);
  expect(await store.history.search('s', 'needle', 1_000)).toHaveLength(round);

  // Streamed text: what was said to be stored is there; a finished part has its event and none of its chunks.
  const events = await store.journal.after('s', 0, 100_000);
  expect(events.filter(({ type }) => type === 'compacted').map(({ data }) => data)).toEqual(
    Array.from({ length: round }, (_, index) => index + 1),
  );
  expect(info.lastEventSeq).toBeGreaterThanOrEqual(events.at(-1)?.seq ?? 0);
  for (const { message, isOpen } of messages.filter((one) => one.message.role === 'assistant')) {
    const number = message.id.slice(1);
    const [part] = message.parts;
    const text = part?.type === 'text' ? part.text : '';
    const chunks = heard('streamed')
      .filter((line) => line.startsWith(`${number} `))
      .map((line) => line.slice(number.length + 1));
    expect('alpha beta gamma '.startsWith(text)).toBe(true);
    expect(text.startsWith(chunks.join(''))).toBe(true);
    expect(events.filter(({ type, data }) => type === 'whole' && data === Number(number))).toHaveLength(
      isOpen ? 0 : 1,
    );
    if (heard('finished').includes(number)) expect(isOpen).toBe(false);
    if (!isOpen) expect(text).toBe('alpha beta gamma ');
  }
  const chunkEvents = events
    .filter(({ type }) => type === 'chunk')
    .map(({ data }) => (typeof data === 'string' ? data : ''));
  const openTexts = messages
    .filter(({ isOpen }) => isOpen)
    .flatMap(({ message }) => message.parts.map((part) => (part.type === 'text' ? part.text : '')));
  expect(chunkEvents.join('')).toBe(openTexts.join(''));

  // The inbox: what was accepted waits or is in one message, once.
  const delivered = messages.flatMap(({ message }) => {
    const [part] = message.parts;
    return message.id.startsWith('message-') && part?.type === 'text' ? part.text.split(' ') : [];
  });
  const waiting = (await store.inbox.waiting('s')).map(({ id }) => id);
  const everywhere = [...delivered, ...waiting];
  expect(new Set(everywhere).size).toBe(everywhere.length);
  for (const id of heard('accepted')) expect(everywhere).toContain(id);
  for (const id of heard('delivered').flatMap((line) => line.split(' '))) expect(delivered).toContain(id);
  for (const id of delivered) expect(await store.inbox.item('s', id)).toMatchObject({ state: 'delivered' });
}
