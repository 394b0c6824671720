import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { searchPlace } from './search-place.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Such as "**/*.ts"; without a slash it is about the name in any folder'),
  path: z.string().optional().describe('Folder to look in; the whole workspace otherwise'),
  includeIgnored: z.boolean().optional().describe('Also look into .git and node_modules'),
});

/** `glob`: paths of files, sorted. */
export function createGlobTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Lists files of the workspace whose path matches a pattern, sorted. Leaves out .git and node_modules; links are not followed.',
    input,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
    execute: ({ pattern, path = '.', includeIgnored = false }, context) =>
      searchPlace({ workspace, path, timeoutMs }, { type: 'glob', pattern, includeIgnored }, context),
  });
}
