import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextError } from '@throughline/core';
import type { StoreFailure } from '@throughline/core/internal';
import type { BlobStore } from '@throughline/ports';

const reasonOf: ReadonlyMap<string, StoreFailure> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'not-permitted'],
  ['EPERM', 'not-permitted'],
  ['EROFS', 'not-permitted'],
  ['ENOTDIR', 'no-such-folder'],
]);

/** One file per blob, in folders by the first two digits. The folder is made with the first blob. */
export function folderBlobs(folder: string): BlobStore {
  return {
    async put(hash, bytes) {
      const path = pathOf(folder, hash);
      await asStoreFailure(folder, async () => {
        if (await isWhole(path, bytes.byteLength)) return;
        await mkdir(join(folder, hash.slice(0, 2)), { recursive: true });
        await writeWhole(path, `${path}.${randomUUID()}.tmp`, bytes);
      });
    },
    async get(hash) {
      const bytes = await asStoreFailure(folder, () => readFile(pathOf(folder, hash)).catch(absent));
      if (bytes && createHash('sha256').update(bytes).digest('hex') !== hash)
        throw blobsFailed(folder, 'corrupt', `the blob ${hash} is not what was stored`);
      return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    remove: (hash) => asStoreFailure(folder, () => rm(pathOf(folder, hash), { force: true })),
  };
}

function pathOf(folder: string, hash: string): string {
  requireHash(hash);
  return join(folder, hash.slice(0, 2), hash.slice(2));
}

async function isWhole(path: string, sizeBytes: number): Promise<boolean> {
  const found = await stat(path).catch(absent);
  return found?.size === sizeBytes;
}

/** Readers see the whole file or none: it gets its name once it is on the disk. */
async function writeWhole(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

async function asStoreFailure<Result>(folder: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || ContextError.is(error)) throw error;
    throw blobsFailed(folder, reasonOf.get(code) ?? 'other', (error as Error).message, error);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Blobs that last as long as the process. */
export function memoryBlobs(): BlobStore {
  const stored = new Map<string, Uint8Array>();
  return {
    async put(hash, bytes) {
      // A copy, also of a Buffer, whose `slice` is none.
      if (!stored.has(hash)) stored.set(hash, new Uint8Array(bytes));
    },
    async get(hash) {
      const found = stored.get(hash);
      return found && new Uint8Array(found);
    },
    async remove(hash) {
      stored.delete(hash);
    },
  };
}

/**
 * A name that is no hash reaches nothing at all.
 *
 * @throws {ContextError} `invalid-option`
 */
export function requireHash(hash: string): void {
  if (/^[0-9a-f]{64}$/.test(hash)) return;
  throw new ContextError('invalid-option', 'A blob is named by its SHA-256.', {
    option: 'hash',
    expected: '64 lower-case hexadecimal digits',
    received: hash,
  });
}

/** @param place the folder or address that they lie in */
export function blobsFailed(
  place: string,
  reason: StoreFailure,
  text: string,
  cause?: unknown,
): ContextError<'store-failed'> {
  const message = `Cannot use the blobs in ${place}: ${text}.`;
  return new ContextError('store-failed', message, { store: place, reason }, { cause });
}
