import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepMedia, loadMedia } from '../src/media/session-media.ts';
import { inline, pngBytes } from './media-samples.ts';
import { openInFile } from './open-stores.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { SessionStore } from '@throughline/ports';

async function blobSizes(folder: string): Promise<number[]> {
  const entries = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
}

async function databaseSize(folder: string): Promise<number> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('sessions.db'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function storeScreenshot(store: SessionStore, sessionId: string): Promise<SessionMessage> {
  const shot = inline('image/png', pngBytes(1_920, 1_080, 3_000_000), 'shot.png');
  const content = [{ type: 'text', text: 'the page' } as const, shot];
  const kept = await keepMedia(content, (bytes) => store.attachments.keep(sessionId, bytes));
  const said = (shown: typeof kept): SessionMessage => ({
    id: 'r1',
    role: 'tool',
    parts: [{ type: 'result', callId: 'c1', name: 'screenshot', content: shown }],
  });
  const lease = await store.leases.acquire(sessionId, 'run', 1_000);
  if (!lease) throw new Error('expected a lease');
  await store.write(lease, [
    { type: 'message', message: said(kept) },
    { type: 'event', event: { type: 'llm:tool-result', data: JSON.parse(JSON.stringify(kept)) } },
  ]);
  return said(content);
}

describe('media of a session in a file', () => {
  it('cost the database next to nothing, come back whole, and go with the session', async () => {
    const opened = await openInFile();
    onTestFinished(() => opened.close());
    const before = await opened.open();
    const { id } = await before.sessions.create();
    await before[Symbol.asyncDispose]();
    const sizeBefore = await databaseSize(opened.folder);

    const store = await opened.open();
    const whole = await storeScreenshot(store, id);
    await store[Symbol.asyncDispose]();
    expect(await databaseSize(opened.folder)).toBeLessThan(sizeBefore + 50_000);
    expect(await blobSizes(opened.folder)).toEqual([3_000_000]);

    const again = await opened.open();
    const [stored] = await again.history.messages(id, 0, 1);
    if (!stored) throw new Error('expected a message');
    expect(JSON.stringify(stored.message).length).toBeLessThan(400);
    const loaded = await loadMedia(stored.message, (hash) => again.attachments.read(id, hash));
    expect(JSON.stringify(loaded) === JSON.stringify(whole)).toBe(true);

    await again.sessions.delete(id);
    expect(await blobSizes(opened.folder)).toEqual([]);
  });
});
