/**
 * Keeps bytes under the SHA-256 of their content, 64 lower-case hexadecimal digits. Who refers to them is the session
 * store's affair: it removes what no session refers to.
 */
export interface BlobStore {
  /** Stores the bytes, whole or not at all; where they are stored already nothing happens. */
  put(hash: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or `undefined` where there are none of this hash. */
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Removes them; nothing happens where there are none. */
  remove(hash: string): Promise<void>;
}
