/** How files begin that hold no text, and what to do about each. */
const beginnings: readonly (readonly [bytes: readonly number[], sentence: string])[] = [
  [[0x1f, 0x8b], 'this is a gzip file; unpack it first (gzip -d)'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'this is a zstd file; unpack it first (zstd -d)'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'this is an xz file; unpack it first (xz -d)'],
  [[0x42, 0x5a, 0x68], 'this is a bzip2 file; unpack it first (bzip2 -d)'],
  [[0x50, 0x4b, 0x03, 0x04], 'this is a zip archive; unpack it first, and give a file of it'],
  [
    [...'SQLite format 3\0'].map((character) => character.charCodeAt(0)),
    'this is an SQLite database; export the session from the tool that keeps it, as JSON',
  ],
];

/** Says of a packed file or a database what it is, from its first bytes. */
export function packedFile(start: Uint8Array): string | undefined {
  return beginnings.find(([bytes]) => bytes.every((byte, index) => start[index] === byte))?.[1];
}
