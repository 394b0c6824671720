import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk';
import type { UserContent, UserPart } from '@throughline/agent';

/** What an editor sends as a prompt, as the agent takes it. */
export type ReadPrompt =
  | { readonly type: 'content'; readonly content: UserContent }
  /** `/name argument`, and nothing else. */
  | { readonly type: 'command'; readonly name: string; readonly argument: string }
  | { readonly type: 'refused'; readonly reason: string };

interface ContentPiece {
  /** Runs on in the text around it. */
  readonly inline?: string;
  /** Stands behind all the rest: what was attached. */
  readonly attached?: UserPart;
}

type Pieces = {
  readonly [Type in ContentBlock['type']]: (
    block: Extract<ContentBlock, { readonly type: Type }>,
  ) => ContentPiece | { readonly refused: string };
};

const pieces: Pieces = {
  text: ({ text }) => ({ inline: text }),
  image: ({ data, mimeType, uri }) => ({
    attached: { type: 'image', data, mediaType: mimeType, ...named(uri) },
  }),
  audio: () => ({ refused: 'Audio is not taken: send text, images or files.' }),
  resource_link: (link) => ({ inline: linkText(link) }),
  resource: (resource) => embedded(resource),
};

/** A prompt: texts and mentions run on in one text; what is attached stands behind it. */
export function readPrompt(blocks: readonly ContentBlock[]): ReadPrompt {
  const read = blocks.map((block) => pieceOf(block.type, block));
  for (const piece of read) if ('refused' in piece) return { type: 'refused', reason: piece.refused };
  const whole = read as readonly ContentPiece[];
  const text = whole.map(({ inline = '' }) => inline).join('');
  const attached = whole.flatMap((piece) => (piece.attached ? [piece.attached] : []));
  const command = attached.length === 0 ? /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim()) : null;
  if (command) return { type: 'command', name: command[1] ?? '', argument: (command[2] ?? '').trim() };
  if (text.trim() === '' && attached.length === 0) return { type: 'refused', reason: 'The prompt is empty.' };
  if (attached.length === 0) return { type: 'content', content: text };
  const said: readonly UserPart[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  return { type: 'content', content: [...said, ...attached] };
}

function pieceOf<Type extends ContentBlock['type']>(
  type: Type,
  block: ContentBlock,
): ContentPiece | { readonly refused: string } {
  const read: Pieces[Type] | undefined = pieces[type];
  // The block is of the type that its row is looked up by.
  return (
    read?.(block as Extract<ContentBlock, { type: Type }>) ?? {
      refused: `Content of the type ${type} is not taken.`,
    }
  );
}

function linkText({ uri, name, title }: ResourceLink): string {
  return `[@${title ?? name}](${placeOf(uri)})`;
}

function embedded({ resource }: EmbeddedResource): ContentPiece {
  const place = placeOf(resource.uri);
  const inline = `[@${place.split('/').at(-1) ?? place}](${place})`;
  if ('text' in resource) {
    const fence = fenceFor(resource.text);
    const text = `Content of ${place}:\n${fence}\n${resource.text}\n${fence}`;
    return { inline, attached: { type: 'text', text } };
  }
  const { blob: data, mimeType } = resource;
  const mediaType = mimeType ?? 'application/octet-stream';
  const type = mediaType.startsWith('image/') ? 'image' : 'file';
  return { inline, attached: { type, data, mediaType, ...named(resource.uri) } };
}

/** More backticks than any row of them in the text. */
function fenceFor(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, row) => Math.max(most, row.length), 0);
  return '`'.repeat(Math.max(3, longest + 1));
}

/** A file by its path, as tools take it; anything else by its address. */
function placeOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}

function named(uri: string | null | undefined): { readonly filename?: string } {
  const name = uri === null || uri === undefined ? '' : (placeOf(uri).split('/').at(-1) ?? '');
  return name === '' ? {} : { filename: name };
}
