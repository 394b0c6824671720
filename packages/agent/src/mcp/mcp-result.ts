import { ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { ResultContent, ToolReply } from '../tools/tool.ts';

/** What a server has answered a call with, as it came. */
export interface McpResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/**
 * A result of a server in our words: texts as texts, images and sounds as media. Blocks are read one by one: one that
 * breaks the protocol, or is of a newer one, costs itself only and is named.
 */
export function mcpReply({ content: sent = [], structuredContent, isError }: McpResult): ToolReply {
  const blocks: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  const parsed = blocks.map((block) => ContentBlockSchema.safeParse(block));
  const content = parsed.flatMap(({ data }) => (data ? [contentOf(data)] : []));
  const leftOut = blocks.filter((_, index) => parsed[index]?.success === false);
  // Beside blocks it says the same again, unless some of those are missing.
  if (structuredContent !== undefined && (content.length === 0 || leftOut.length > 0))
    content.push({ type: 'text', text: JSON.stringify(structuredContent) });
  if (leftOut.length > 0) content.push({ type: 'text', text: leftOutText(leftOut) });
  return { content, isError: isError === true };
}

type Rows = {
  readonly [Type in ContentBlock['type']]: (block: Extract<ContentBlock, { type: Type }>) => ResultContent;
};

const rows: Rows = {
  text: ({ text }) => ({ type: 'text', text }),
  image: ({ data, mimeType }) => media(data, mimeType),
  audio: ({ data, mimeType }) => media(data, mimeType),
  resource_link: ({ uri, name }) => ({ type: 'text', text: `${name}: ${uri}` }),
  resource: ({ resource }) =>
    'text' in resource
      ? { type: 'text', text: resource.text }
      : media(resource.blob, resource.mimeType ?? 'application/octet-stream'),
};

function contentOf<Type extends ContentBlock['type']>(
  block: Extract<ContentBlock, { type: Type }>,
): ResultContent {
  const row: (block: Extract<ContentBlock, { type: Type }>) => ResultContent = rows[block.type];
  return row(block);
}

function media(data: string, mediaType: string): ResultContent {
  return { type: 'media', mediaType, source: { type: 'base64', data } };
}

const maxNames = 5;
const maxNameChars = 40;

function leftOutText(blocks: readonly unknown[]): string {
  const names = [...new Set(blocks.map(typeNameOf))];
  const more = names.length > maxNames ? ', …' : '';
  const what = blocks.length === 1 ? 'One content block' : `${blocks.length} content blocks`;
  return `[${what} of this result could not be read: ${names.slice(0, maxNames).join(', ')}${more}]`;
}

function typeNameOf(block: unknown): string {
  const { type } = (block ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type.slice(0, maxNameChars) : '(without a type)';
}
