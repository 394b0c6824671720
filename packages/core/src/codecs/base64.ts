const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of raw bytes, padded. For media that a format in memory holds as bytes. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const group = (first << 16) | (second << 8) | third;
    piece +=
      digit(group, 18) +
      digit(group, 12) +
      (left > 1 ? digit(group, 6) : '=') +
      (left > 2 ? digit(group, 0) : '=');
    if (piece.length >= 0x4000) {
      pieces.push(piece);
      piece = '';
    }
  }
  pieces.push(piece);
  return pieces.join('');
}

function digit(group: number, shift: number): string {
  return digits.charAt((group >> shift) & 0x3f);
}
