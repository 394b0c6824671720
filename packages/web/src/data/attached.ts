import type { Client, UserPart } from '@throughline/client';

/** An image or a file, where its bytes are. */
export interface Attached {
  readonly mediaType: string;
  readonly filename?: string;
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

/** Hash of the bytes of an image or a file, by its address; nothing where it lies elsewhere. */
export function blobHash(url: string): string | undefined {
  const hash = /\/blobs\/([^/?#]+)$/.exec(url)?.[1];
  return hash === undefined ? undefined : decodeURIComponent(hash);
}

/** Whether its bytes are at hand; those that lie on another server are not. */
export function canBeSentAgain({ source }: Attached): boolean {
  return source.type === 'base64' || blobHash(source.url) !== undefined;
}

/** A message that is changed is sent anew: its words, and what was attached to it as it was sent. */
export async function contentAnew(
  client: Client,
  sessionId: string,
  { text, attached }: { readonly text: string; readonly attached: readonly Attached[] },
): Promise<string | readonly UserPart[]> {
  if (attached.length === 0) return text;
  const parts = await Promise.all(attached.map((one) => attachedPart(client, sessionId, one)));
  return text.trim() === '' ? parts : [{ type: 'text', text }, ...parts];
}

async function attachedPart(
  client: Client,
  sessionId: string,
  { mediaType, source, filename }: Attached,
): Promise<UserPart> {
  const data =
    source.type === 'base64'
      ? source.data
      : base64(await client.getBlob({ id: sessionId, hash: blobHash(source.url) ?? '' }));
  const type = mediaType.startsWith('image/') ? 'image' : 'file';
  return { type, data, mediaType, ...(filename !== undefined && { filename }) };
}

const chunkBytes = 0x80_00;

function base64(bytes: Uint8Array): string {
  let text = '';
  // All at once would be more arguments than a call may have.
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCodePoint(...bytes.subarray(at, at + chunkBytes));
  return btoa(text);
}
