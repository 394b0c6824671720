import { ContextError } from '@throughline/core';
import { z } from 'zod';
import type { ToolLimits } from '@throughline/core/types';
import type { ApprovalRule, BadInput, PreparedCall, Tool, ToolContext, ToolReply, Touches } from './tool.ts';

type MaybePromise<Value> = Value | Promise<Value>;

interface ToolShape<Schema extends z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** @default {} which means the limits of the core for that name */
  readonly limits?: ToolLimits;
  /** @default 'ask', or 'allow' for a tool that states `reads` and no `writes` */
  readonly approval?: ApprovalRule;
  /** @default true for a tool that states `reads` and no `writes` */
  readonly idempotent?: boolean;
  /** Keys (paths) a call reads. Stating it without `writes` says that the tool changes nothing. */
  readonly reads?: (args: z.output<Schema>) => MaybePromise<readonly string[]>;
  /** Keys (paths) a call writes. A tool that states neither `reads` nor `writes` may touch anything. */
  readonly writes?: (args: z.output<Schema>) => MaybePromise<readonly string[]>;
  readonly approvalKey?: (args: z.output<Schema>) => string;
  /** What a call would change that somebody outside runs or obeys: it is asked for although the tool is allowed. */
  readonly guardedPart?: (args: z.output<Schema>) => Promise<string | undefined>;
  /** What a call would read that may hold secrets: it is asked for although the tool is allowed. */
  readonly privatePart?: (args: z.output<Schema>) => Promise<string | undefined>;
  readonly takesPlaceholders?: boolean;
  readonly warning?: string;
}

/** A tool whose `execute` answers the model itself. What is no `ToolReply` is told as JSON. */
export interface ToolDefinition<Schema extends z.ZodType> extends ToolShape<Schema> {
  readonly execute: (args: z.output<Schema>, context: ToolContext) => MaybePromise<ToolReply>;
}

/** A tool whose `execute` returns a value of its own, and a function that says it to the model. */
export interface ConvertingToolDefinition<Schema extends z.ZodType, Output> extends ToolShape<Schema> {
  readonly execute: (args: z.output<Schema>, context: ToolContext) => MaybePromise<Output>;
  readonly toModelOutput: (output: Output) => ToolReply;
}

/**
 * A tool from a zod schema and a function. The arguments are checked before `execute` sees them; what it throws becomes
 * an error result.
 *
 * @throws {ContextError} `invalid-option` for a name that providers do not take.
 */
export function defineTool<Schema extends z.ZodType, Output>(
  definition: ConvertingToolDefinition<Schema, Output>,
): Tool;
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool;
export function defineTool<Schema extends z.ZodType>(
  definition: ToolDefinition<Schema> | ConvertingToolDefinition<Schema, unknown>,
): Tool {
  requireName(definition.name);
  const isReader = definition.reads !== undefined && definition.writes === undefined;
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: schemaOf(definition.input),
    limits: definition.limits ?? {},
    approval: definition.approval ?? (isReader ? 'allow' : 'ask'),
    idempotent: definition.idempotent ?? isReader,
    takesPlaceholders: definition.takesPlaceholders ?? false,
    ...(definition.warning === undefined ? {} : { warning: definition.warning }),
    prepare: (input) => prepare(definition, input),
  };
}

function prepare<Schema extends z.ZodType>(
  definition: ToolDefinition<Schema> | ConvertingToolDefinition<Schema, unknown>,
  input: unknown,
): PreparedCall | BadInput {
  const { name, input: schema, reads, writes, approvalKey, guardedPart, privatePart } = definition;
  try {
    const parsed = schema.safeParse(input);
    if (!parsed.success) return { type: 'bad-input', message: describeBadInput(name, input, parsed.error) };
    const args = parsed.data;
    return {
      type: 'ready',
      touches: reads || writes ? () => touchesOf(definition, args) : 'anything',
      ...(approvalKey ? { approvalKey: approvalKey(args) } : {}),
      ...(guardedPart ? { guardedPart: () => guardedPart(args) } : {}),
      ...(privatePart ? { privatePart: () => privatePart(args) } : {}),
      execute: async (context) => {
        if (!('toModelOutput' in definition)) return asReply(await definition.execute(args, context));
        return definition.toModelOutput(await definition.execute(args, context));
      },
    };
  } catch (error) {
    return { type: 'bad-input', message: `${name} cannot read its arguments: ${String(error)}` };
  }
}

function requireName(name: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  const expected = '1 to 64 letters, digits, "_" or "-"';
  const message = `The name of a tool is ${expected}; received ${JSON.stringify(name)}`;
  throw new ContextError('invalid-option', message, { option: 'name', expected, received: name });
}

/** Without the line that names the dialect, which some providers refuse. */
function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

async function touchesOf<Schema extends z.ZodType>(
  { reads, writes }: ToolShape<Schema>,
  args: z.output<Schema>,
): Promise<Touches> {
  return { reads: (await reads?.(args)) ?? [], writes: (await writes?.(args)) ?? [] };
}

/** Types promise a reply; a tool in plain JavaScript may return anything. */
function asReply(output: unknown): ToolReply {
  return isReply(output) ? output : (JSON.stringify(output) ?? '');
}

function isReply(output: unknown): output is ToolReply {
  if (typeof output === 'string') return true;
  if (typeof output !== 'object' || output === null || !('content' in output)) return false;
  return typeof output.content === 'string' || Array.isArray(output.content);
}

const maxIssues = 8;

/** What a model needs to mend its arguments: each key that is wrong, what is expected there and what came. */
function describeBadInput(toolName: string, input: unknown, error: z.ZodError): string {
  if (typeof input === 'string') {
    return `The arguments of ${toolName} are not valid JSON. Send one JSON object and call it again.`;
  }
  const lines = error.issues.slice(0, maxIssues).map((issue) => `- ${keyOf(issue.path)}: ${issue.message}`);
  const more = error.issues.length > maxIssues ? `\n- and ${error.issues.length - maxIssues} more` : '';
  return `The arguments of ${toolName} are wrong; nothing was done.\n${lines.join('\n')}${more}`;
}

function keyOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(arguments)';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .slice(1);
}
