import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ResultContent, ToolReply } from '../tools/tool.ts';

type Block = CallToolResult['content'][number];

/** A result of a server in our words: texts as texts, images and sounds as media. */
export function mcpReply(result: CallToolResult): ToolReply {
  const content = result.content.map(contentOf);
  const { structuredContent } = result;
  const isOnlyStructured = content.length === 0 && structuredContent !== undefined;
  return {
    content: isOnlyStructured ? JSON.stringify(structuredContent) : content,
    isError: result.isError === true,
  };
}

type Rows = { readonly [Type in Block['type']]: (block: Extract<Block, { type: Type }>) => ResultContent };

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

function contentOf<Type extends Block['type']>(block: Extract<Block, { type: Type }>): ResultContent {
  const row: (block: Extract<Block, { type: Type }>) => ResultContent = rows[block.type];
  return row(block);
}

function media(data: string, mediaType: string): ResultContent {
  return { type: 'media', mediaType, source: { type: 'base64', data } };
}
