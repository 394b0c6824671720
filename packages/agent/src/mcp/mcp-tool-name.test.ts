import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcpToolName } from './mcp-tool-name.ts';

const word = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.array(fc.constantFrom('a', '_', '/'), { maxLength: 6 }).map((all) => all.join('')),
);

describe('mcpToolName', () => {
  it('is plain where it can be', () => {
    expect(mcpToolName('github', 'create_issue')).toBe('mcp__github__create_issue');
  });

  it('is a name every provider takes, and never that of another tool', () => {
    fc.assert(
      fc.property(word, word, word, word, (server, tool, otherServer, otherTool) => {
        const [name, other] = [mcpToolName(server, tool), mcpToolName(otherServer, otherTool)];
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(name === other).toBe(server === otherServer && tool === otherTool);
      }),
      { numRuns: 2_000 },
    );
  });
});
