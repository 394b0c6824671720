import { describe, expect, it } from 'vitest';
import { mcpReply } from './mcp-result.ts';
import type { McpResult } from './mcp-result.ts';
import type { ToolReply } from '../tools/tool.ts';

const text = (value: string) => ({ type: 'text', text: value }) as const;
const foreign = { type: 'hologram', x: 1 };
const structuredContent = { y: 2 };

function contentOf(result: McpResult): unknown {
  return (mcpReply(result) as Extract<ToolReply, object>).content;
}

describe('the result of an MCP server', () => {
  it('keeps what is known where a block is not, and names that block', () => {
    expect(mcpReply({ content: [text('one'), foreign, text('two')] })).toEqual({
      content: [
        text('one'),
        text('two'),
        text('[One content block of this result could not be read: hologram]'),
      ],
      isError: false,
    });
  });

  it('keeps the structured content where blocks are missing, or where there are none', () => {
    expect(contentOf({ content: [foreign, foreign], structuredContent })).toEqual([
      text('{"y":2}'),
      text('[2 content blocks of this result could not be read: hologram]'),
    ]);
    expect(contentOf({ structuredContent })).toEqual([text('{"y":2}')]);
    expect(contentOf({ content: [text('y is 2')], structuredContent })).toEqual([text('y is 2')]);
  });

  it('names blocks without a type, those that lack something, and a few of many', () => {
    const many = ['a', 'b', 'c', 'd'].map((type) => ({ type }));
    const content = [null, { type: 'image', mimeType: 'image/png' }, ...many, { type: 'z'.repeat(100) }];
    expect(contentOf({ content })).toEqual([
      text('[7 content blocks of this result could not be read: (without a type), image, a, b, c, …]'),
    ]);
  });

  it('is read where its content is no list', () => {
    expect(mcpReply({ content: text('alone'), isError: true })).toEqual({
      content: [text('alone')],
      isError: true,
    });
    expect(contentOf({ content: 7 })).toEqual([
      text('[One content block of this result could not be read: (without a type)]'),
    ]);
  });
});
