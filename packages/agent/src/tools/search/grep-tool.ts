import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { searchPlace } from './search-place.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('Regular expression (JavaScript), tried on each line'),
  path: z.string().optional().describe('File or folder to search; the whole workspace otherwise'),
  glob: z.string().max(1_000).optional().describe('Only files that match, such as "*.ts" or "src/**/*.css"'),
  ignoreCase: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines to show around each match'),
  filesOnly: z.boolean().optional().describe('Only the paths of the files'),
  includeIgnored: z.boolean().optional().describe('Also look into .git and node_modules'),
});

/** `grep`: lines that match a regular expression. */
export function createGrepTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the text files of the workspace for a regular expression. Shows path:line:text. Leaves out .git, node_modules and binary files.',
    input,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
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
