import type { BlobStore } from '@throughline/ports';

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
