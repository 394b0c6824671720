import { fileTypeOf } from '../tools/files/file-type.ts';
import type { SessionStore } from '@throughline/ports';

/** Bytes of a session and what they are: as it was said when they were stored, else by how they begin. */
export async function readBlob(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  hash: string,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | undefined> {
  // A name that is no hash is one of nothing.
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const bytes = await store.attachments.read(sessionId, hash);
  if (!bytes) return undefined;
  const said = await store.attachments.mediaType(sessionId, hash);
  return { bytes, mediaType: said ?? lookOf(bytes) };
}

function lookOf(bytes: Uint8Array): string {
  const found = fileTypeOf(bytes.subarray(0, 16));
  return found.type === 'image' ? found.mediaType : 'application/octet-stream';
}
