import {
  checkOptions,
  numberFrom,
  optionsIn,
  required,
  texts,
  withFunctions,
} from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import { createEditTool } from '../files/edit-tool.ts';
import { createReadTool } from '../files/read-tool.ts';
import { createWriteTool } from '../files/write-tool.ts';
import { createGlobTool, createGrepTool } from '../search/search-tools.ts';
import { createBashTool } from '../shell/bash-tool.ts';
import { createRecallTool, createTodoTool } from './session-tools.ts';
import type { OptionCheck, OptionChecks } from '@throughline/core/internal';
import type { Workspace } from '../files/workspace.ts';
import type { BashOptions } from '../shell/bash-tool.ts';
import type { Tool } from '../tool.ts';

/** What each is made of, in the order in which a model is told of them. */
const makers = {
  bash: ({ workspace: { root, guard }, bash }) => createBashTool({ ...bash, root, guard }),
  read: ({ workspace }) => createReadTool(workspace),
  write: ({ workspace }) => createWriteTool(workspace),
  edit: ({ workspace }) => createEditTool(workspace),
  grep: ({ workspace, searchTimeoutMs }) => createGrepTool(workspace, searchTimeoutMs),
  glob: ({ workspace, searchTimeoutMs }) => createGlobTool(workspace, searchTimeoutMs),
  todo: () => createTodoTool(),
  recall: () => createRecallTool(),
} satisfies Record<string, (options: Required<Omit<BuiltInToolOptions, 'only'>>) => Tool>;

/** Name of a built-in tool. */
export type BuiltInToolName = keyof typeof makers;

/** Names of all built-in tools, in the order in which a model is told of them. */
export const builtInToolNames = Object.keys(makers) as readonly BuiltInToolName[];

/** `bash` does in a pinch what these do; without `recall` nothing is lost but the way back to it. */
const spare: ReadonlySet<BuiltInToolName> = new Set(['grep', 'glob', 'todo', 'recall']);

/** Which built-in tools are made, and where they work. */
export interface BuiltInToolOptions {
  /** What `openWorkspace` gives. */
  readonly workspace: Workspace;
  /** How commands run. They start in the workspace, under its guard. */
  readonly bash: Omit<BashOptions, 'root' | 'guard'>;
  /** @default 30_000 */
  readonly searchTimeoutMs?: number;
  /** Just these, however small the window. @default all */
  readonly only?: readonly BuiltInToolName[];
}

const object: OptionCheck = { expected: 'an object', fits: isObject };
const names: ReadonlySet<unknown> = new Set(builtInToolNames);

const checks: OptionChecks<BuiltInToolOptions> = {
  workspace: required({ ...withFunctions('', 'locate'), expected: 'what openWorkspace gives, awaited' }),
  bash: required(
    optionsIn<BuiltInToolOptions['bash']>({
      sandbox: required({ expected: 'what detectSandbox gives, awaited', fits: isSandbox }),
      environment: required(object),
      allowedEnvironment: texts,
      timeoutMs: numberFrom(1),
      maxTimeoutMs: numberFrom(1),
    }),
  ),
  searchTimeoutMs: numberFrom(1),
  only: {
    expected: `a list of ${builtInToolNames.join(', ')}`,
    fits: (value) => Array.isArray(value) && value.every((name) => names.has(name)),
  },
};

function isSandbox(value: unknown): boolean {
  return isObject(value) && 'type' in value;
}

/**
 * `bash`, `read`, `write`, `edit`, `grep`, `glob`, `todo` and `recall`, over one workspace.
 *
 * @throws {ContextError} `invalid-option` that names the option, for a misspelt one too.
 */
export function createBuiltInTools(options: BuiltInToolOptions): Tool[] {
  checkOptions('', options, checks);
  const { workspace, bash, searchTimeoutMs = 30_000, only } = options;
  return builtInToolNames
    .filter((name) => only?.includes(name) ?? true)
    .map((name): Tool => {
      const tool = makers[name]({ workspace, bash, searchTimeoutMs });
      const inputSchema = leanSchema(tool.inputSchema);
      return { ...tool, inputSchema, ...(!only && spare.has(name) ? { isSpare: true } : {}) };
    });
}

type Schema = Readonly<Record<string, unknown>>;

/** What the check of the arguments needs and a model does not: a call that breaks it is told what was expected. */
const unsaid: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'maxItems',
]);

/** A schema with all that a model needs to call a tool, in as few words as possible. */
function leanSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !unsaid.has(key))
      .map(([key, value]) => [key, key === 'properties' ? leanEach(value) : lean(value)]),
  );
}

/** Names of properties are no keywords. */
function leanEach(properties: unknown): unknown {
  if (!isObject(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, lean(value)]));
}

function lean(value: unknown): unknown {
  return isObject(value) ? leanSchema(value) : value;
}
