const seeds = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f];

/** 32 hex digits that depend on the text only: the same content gives the same id again. */
export function derivedHex(text: string): string {
  return seeds.map((seed) => hash(text, seed).toString(16).padStart(8, '0')).join('');
}

/** A UUID (version 8: of the maker's own making) that depends on the text only. */
export function derivedUuid(text: string): string {
  const hex = derivedHex(text);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ];
  return parts.join('-');
}

function hash(text: string, seed: number): number {
  let value = seed ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x5bd1e995);
    value ^= value >>> 15;
  }
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
