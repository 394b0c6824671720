import { fileTypeOf } from '../tools/files/file-type.ts';

/**
 * The type under which bytes are stored: what was declared, in lower case and without parameters. Where an image was
 * declared and the bytes are one of another type, theirs: providers refuse the request otherwise, now and ever after.
 */
export function mediaTypeOf(declared: string, bytes: Uint8Array): string {
  const [essence = ''] = declared.trim().toLowerCase().split(';');
  const mediaType = essence.trim();
  if (!mediaType.startsWith('image/')) return mediaType;
  const found = fileTypeOf(bytes.subarray(0, 16));
  return found.type === 'image' ? found.mediaType : mediaType;
}
