import type { SessionBlob } from '@throughline/agent';

/** What browsers show and never run. SVG is no image in this sense: it holds scripts. */
const shownTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * Bytes that somebody sent, or a tool has found, so that nothing in them can run on this origin: what is no plain image
 * is told as bytes to be saved, and whoever opens it all the same gets it without scripts, forms or an origin.
 */
export function serveBlob({ bytes, mediaType }: SessionBlob): Response {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isShown = shownTypes.has(type);
  return new Response(Uint8Array.from(bytes), {
    headers: {
      'content-type': isShown ? type : 'application/octet-stream',
      'content-disposition': isShown ? 'inline' : 'attachment',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // The hash names these bytes and no others.
      'cache-control': 'private, max-age=31536000, immutable',
    },
  });
}
