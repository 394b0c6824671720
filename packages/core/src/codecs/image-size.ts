export interface ImageSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Bytes of a base64 text, decoded one by one where they are asked for. Past the end, or behind a stray character: −1. */
class Base64Bytes {
  readonly #text: string;
  readonly #start: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  at(index: number): number {
    const group = this.#start + Math.floor(index / 3) * 4;
    const shift = index % 3;
    const first = sextet(this.#text.charCodeAt(group + shift));
    const second = sextet(this.#text.charCodeAt(group + shift + 1));
    if (first < 0 || second < 0) return -1;
    return ((first << (2 + 2 * shift)) | (second >> (4 - 2 * shift))) & 0xff;
  }

  big(index: number, count: number): number {
    let value = 0;
    for (let offset = 0; offset < count; offset++) value = value * 256 + this.at(index + offset);
    return value;
  }

  little(index: number, count: number): number {
    let value = 0;
    for (let offset = count - 1; offset >= 0; offset--) value = value * 256 + this.at(index + offset);
    return value;
  }
}

function sextet(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b || code === 0x2d) return 62;
  return code === 0x2f || code === 0x5f ? 63 : -1;
}

/** A JPEG has its size in a segment behind others; more than this many are not looked at. */
const mostSegments = 64;

/**
 * Width and height of a PNG, JPEG, GIF or WebP whose base64 begins at `start` of `text`. Reads only header bytes, in
 * place. `undefined` for other formats and broken headers.
 */
export function imageSize(text: string, start: number): ImageSize | undefined {
  const bytes = new Base64Bytes(text, start);
  const size = sizeOf(bytes, bytes.big(0, 4));
  return size && size.widthPx > 0 && size.heightPx > 0 ? size : undefined;
}

function sizeOf(bytes: Base64Bytes, signature: number): ImageSize | undefined {
  if (signature === 0x89504e47) return { widthPx: bytes.big(16, 4), heightPx: bytes.big(20, 4) };
  if (signature === 0x47494638) return { widthPx: bytes.little(6, 2), heightPx: bytes.little(8, 2) };
  if (signature === 0x52494646) return webpSize(bytes);
  return Math.floor(signature / 0x100) === 0xffd8ff ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Base64Bytes): ImageSize | undefined {
  const chunk = bytes.big(12, 4);
  if (chunk === 0x56503858) return { widthPx: bytes.little(24, 3) + 1, heightPx: bytes.little(27, 3) + 1 };
  if (chunk === 0x56503820) {
    return { widthPx: bytes.little(26, 2) & 0x3fff, heightPx: bytes.little(28, 2) & 0x3fff };
  }
  if (chunk !== 0x5650384c) return undefined;
  const bits = bytes.little(21, 4);
  return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 };
}

function jpegSize(bytes: Base64Bytes): ImageSize | undefined {
  let at = 2;
  for (let segment = 0; segment < mostSegments; segment++) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { widthPx: bytes.big(at + 7, 2), heightPx: bytes.big(at + 5, 2) };
    const length = bytes.big(at + 2, 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}
