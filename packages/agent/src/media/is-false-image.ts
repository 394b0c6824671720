import { fileTypeOf } from '../tools/files/file-type.ts';

const knownByTheirHead: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const headCharacters = 24;

/**
 * Whether data that are called one of the common images are none of them: an error page, a cut download. One such image
 * makes a provider refuse the request, and every later one of the session.
 */
export function isFalseImage(mediaType: string, base64: string): boolean {
  if (!knownByTheirHead.has(mediaType)) return false;
  return fileTypeOf(Buffer.from(base64.slice(0, headCharacters), 'base64')).type !== 'image';
}
