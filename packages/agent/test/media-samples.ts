import type { SessionMessage } from '@throughline/core/codec';

export type Part = SessionMessage['parts'][number];
export type Media = Extract<Part, { type: 'media' }>;

/** The head of a PNG of this size, and nothing behind it but zeros. */
export function pngBytes(widthPx: number, heightPx: number, sizeBytes = 33): Uint8Array {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  bytes.writeUInt32BE(widthPx, 16);
  bytes.writeUInt32BE(heightPx, 20);
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

export function inline(mediaType: string, bytes: Uint8Array, filename?: string): Media {
  const named = filename === undefined ? {} : { filename };
  return { type: 'media', mediaType, source: { type: 'base64', data: base64Of(bytes) }, ...named };
}

export function atUrl(mediaType: string, url: string): Media {
  return { type: 'media', mediaType, source: { type: 'url', url } };
}

/** Keeps bytes in memory under made-up hashes; the same bytes have the same. */
export function blobsInMemory(): {
  readonly kept: Map<string, Uint8Array>;
  readonly keep: (bytes: Uint8Array) => Promise<string>;
  readonly read: (hash: string) => Promise<Uint8Array | undefined>;
} {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    keep: async (bytes) => {
      const hash = Buffer.from(bytes).toString('hex').slice(0, 64) + String(bytes.length);
      kept.set(hash, bytes);
      return hash;
    },
    read: async (hash) => kept.get(hash),
  };
}
