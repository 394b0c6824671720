import { cutMiddle } from '@throughline/core/internal';
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ResultContent } from '@throughline/agent';

/** Bytes that results refer to, in base64, by the address they are referred to with. */
export type Media = ReadonlyMap<string, string>;

const shownChars = 8_000;

/** What a call has answered, as an editor shows it: texts, and images where their bytes are at hand. */
export function contentOfResult(content: readonly ResultContent[], media: Media): ToolCallContent[] {
  return content.map((piece) => ({ type: 'content', content: blockOf(piece, media) }));
}

/** A piece of text or media as a content block. */
export function blockOf(piece: ResultContent, media: Media): ContentBlock {
  if (piece.type === 'text') return { type: 'text', text: truncated(piece.text) };
  const { source, mediaType, filename } = piece;
  const data = source.type === 'base64' ? source.data : media.get(source.url);
  if (data !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', data, mimeType: mediaType };
  return { type: 'text', text: `[${filename ?? mediaType}]` };
}

/** Head and tail of a long text: the editor shows it, nobody reads it out of there. */
export function truncated(text: string): string {
  return cutMiddle(text, shownChars, (chars) => `[… ${chars} characters …]`);
}

/** Addresses of stored bytes that the pieces refer to. */
export function addressesIn(content: readonly ResultContent[]): readonly string[] {
  return content.flatMap((piece) =>
    piece.type === 'media' && piece.source.type === 'url' && piece.mediaType.startsWith('image/')
      ? [piece.source.url]
      : [],
  );
}
