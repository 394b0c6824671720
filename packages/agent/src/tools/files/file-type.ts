/** What the first bytes of a file say it is. */
type FileType =
  | { readonly type: 'text' }
  | { readonly type: 'image'; readonly mediaType: string }
  | { readonly type: 'binary'; readonly kind: string };

type Signature = readonly [kind: string, bytes: readonly number[], offset?: number];

const ascii = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));

const images: readonly Signature[] = [
  ['image/png', [0x89, ...ascii('PNG')]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', ascii('GIF8')],
  ['image/webp', ascii('WEBP'), 8],
];

const binaries: readonly Signature[] = [
  ['PDF document', ascii('%PDF-')],
  ['ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['gzip archive', [0x1f, 0x8b]],
  ['ELF program', [0x7f, ...ascii('ELF')]],
  ['SQLite database', ascii('SQLite format 3')],
  ['UTF-16 text', [0xff, 0xfe]],
  ['UTF-16 text', [0xfe, 0xff]],
];

/** Decides by the first bytes (8 KB are enough): a NUL in them makes a file binary. */
export function fileTypeOf(start: Uint8Array): FileType {
  const matches = ([, bytes, offset = 0]: Signature): boolean =>
    bytes.every((byte, index) => start[offset + index] === byte);
  const image = images.find(matches);
  if (image) return { type: 'image', mediaType: image[0] };
  const binary = binaries.find(matches);
  if (binary) return { type: 'binary', kind: binary[0] };
  return start.includes(0) ? { type: 'binary', kind: 'binary file' } : { type: 'text' };
}
