import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { searchPlace } from './search-place.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  pattern: z.string().min(1).max(1_000),
  path: z.string().optional().describe('Folder'),
  includeIgnored: z.boolean().optional(),
});

/** `glob`: paths of files, sorted. */
export function createGlobTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Lists files whose path matches a pattern such as **/*.ts; without a slash it is about the name. Leaves out .git and node_modules.',
    input,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
    execute: ({ pattern, path = '.', includeIgnored = false }, context) =>
      searchPlace({ workspace, path, timeoutMs }, { type: 'glob', pattern, includeIgnored }, context),
  });
}
