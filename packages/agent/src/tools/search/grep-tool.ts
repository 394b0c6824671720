import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { searchPlace } from './search-place.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  pattern: z.string().min(1).max(10_000),
  path: z.string().optional().describe('File or folder'),
  glob: z.string().max(1_000).optional().describe('Only such files: *.ts'),
  ignoreCase: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines around a match'),
  filesOnly: z.boolean().optional(),
  includeIgnored: z.boolean().optional(),
});

/** `grep`: lines that match a regular expression. */
export function createGrepTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches text files for a regular expression (JavaScript), line by line: path:line:text. Leaves out .git and node_modules.',
    input,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
    privatePart: ({ path = '.' }) => workspace.privatePartOf(path),
    execute: (
      { pattern, path = '.', glob, ignoreCase, context: lines, filesOnly, includeIgnored = false },
      context,
    ) =>
      searchPlace(
        { workspace, path, timeoutMs },
        {
          type: 'grep',
          pattern,
          includeIgnored,
          ignoreCase: ignoreCase ?? false,
          contextLines: lines ?? 0,
          filesOnly: filesOnly ?? false,
          ...(glob === undefined ? {} : { fileGlob: glob }),
        },
        context,
      ),
  });
}
