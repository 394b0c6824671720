/** Node's decoder takes both alphabets, leaves out what belongs to none, and says nothing: only the length tells. */
function decodeExactly(text: string): Uint8Array | undefined {
  let end = text.length;
  while (end > 0 && end > text.length - 2 && text.charCodeAt(end - 1) === 0x3d) end -= 1;
  if (end % 4 === 1) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === Math.floor((end * 3) / 4) ? bytes : undefined;
}

/**
 * The bytes of a base64 text, padded or not, in lines or not; `undefined` for a text that is something else, or empty.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = decodeExactly(text) ?? decodeExactly(text.replaceAll(/\s+/g, ''));
  return bytes && bytes.length > 0 ? bytes : undefined;
}
