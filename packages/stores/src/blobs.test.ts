import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderBlobs } from './blobs.ts';

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'throughline-blobs-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytes = new Uint8Array([0, 255, 7]);
const hash = createHash('sha256').update(bytes).digest('hex');
const files = async (at: string): Promise<string[]> =>
  (await readdir(at, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name);

it('gives back what it was given, and nothing once it is removed', async () => {
  const at = join(folder, 'a');
  const blobs = folderBlobs(at);
  expect(await blobs.get(hash)).toBeUndefined();
  await Promise.all([blobs.put(hash, bytes), blobs.put(hash, bytes), folderBlobs(at).put(hash, bytes)]);
  expect(await blobs.get(hash)).toEqual(bytes);
  expect(await files(at)).toEqual([hash.slice(2)]);
  await blobs.remove(hash);
  await blobs.remove(hash);
  expect(await blobs.get(hash)).toBeUndefined();
  expect(await files(at)).toEqual([]);
});

it.each([
  '../../etc/passwd',
  `${'../'.repeat(21)}x`,
  hash.toUpperCase(),
  hash.slice(1),
  `${hash}/x`,
  '',
  `${hash}\0`,
])('takes no name but a hash: %j', async (name) => {
  const blobs = folderBlobs(join(folder, 'b'));
  for (const attempt of [blobs.get(name), blobs.put(name, bytes), blobs.remove(name)].map((one) =>
    one.catch((error: unknown) => error),
  ))
    expect(await attempt).toMatchObject({ code: 'invalid-option' });
  expect(await readdir(folder)).not.toContain('b');
});

it('writes anew what a crash has left cut off, and does not give out what is damaged', async () => {
  const at = join(folder, 'c');
  const blobs = folderBlobs(at);
  await blobs.put(hash, bytes);
  const path = join(at, hash.slice(0, 2), hash.slice(2));
  await writeFile(path, bytes.slice(1));
  await expect(blobs.get(hash)).rejects.toMatchObject({
    code: 'store-failed',
    details: { reason: 'corrupt' },
  });
  await blobs.put(hash, bytes);
  expect(await blobs.get(hash)).toEqual(bytes);
});

it('tells where a file stands in the place of its folder', async () => {
  const at = join(folder, 'd');
  await writeFile(at, '');
  await expect(folderBlobs(at).put(hash, bytes)).rejects.toMatchObject({
    code: 'store-failed',
    details: { store: at },
  });
});
