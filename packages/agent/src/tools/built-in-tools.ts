import { createEditTool } from './files/edit-tool.ts';
import { createReadTool } from './files/read-tool.ts';
import { createWriteTool } from './files/write-tool.ts';
import { createRecallTool } from './recall-tool.ts';
import { createGlobTool } from './search/glob-tool.ts';
import { createGrepTool } from './search/grep-tool.ts';
import { createBashTool } from './shell/bash-tool.ts';
import { createTodoTool } from './todo-tool.ts';
import type { Workspace } from './files/workspace.ts';
import type { BashOptions } from './shell/bash-tool.ts';
import type { Tool } from './tool.ts';

export interface BuiltInToolOptions {
  readonly workspace: Workspace;
  readonly bash: Omit<BashOptions, 'root' | 'guard'>;
  /** @default 30_000 */
  readonly searchTimeoutMs?: number;
}

/** `bash`, `read`, `write`, `edit`, `grep`, `glob`, `todo` and `recall`, over one workspace. */
export function createBuiltInTools({
  workspace,
  bash,
  searchTimeoutMs = 30_000,
}: BuiltInToolOptions): Tool[] {
  return [
    createBashTool({ ...bash, root: workspace.root, guard: workspace.guard }),
    createReadTool(workspace),
    createWriteTool(workspace),
    createEditTool(workspace),
    createGrepTool(workspace, searchTimeoutMs),
    createGlobTool(workspace, searchTimeoutMs),
    createTodoTool(),
    createRecallTool(),
  ];
}
