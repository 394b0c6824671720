import { createHash } from 'node:crypto';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '@throughline/core/codec';
import { McpConnection } from './mcp-connection.ts';
import { mcpReply } from './mcp-result.ts';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { Tool, ToolContext, ToolReply } from '../tools/tool.ts';
import type { FaultyTool, McpServerConfig } from './mcp-connection.ts';

/** Whether an MCP server was reached; `error` says in a sentence why not. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: 'connected' | 'failed';
  readonly toolCount: number;
  readonly error?: string;
  /** Tools that nobody can use: only they are missing. */
  readonly faulty?: readonly FaultyTool[];
}

/** The MCP servers that were asked for, and their tools. Dispose of it to close the connections. */
export interface McpServers extends AsyncDisposable {
  /** The tools of all servers that answered. The list stays as it is while a session runs. */
  readonly tools: readonly Tool[];
  readonly servers: readonly McpServerStatus[];
}

/** Connects to all servers at once. One that does not answer is reported and costs only its own tools. Never throws. */
export async function connectMcpServers(
  configs: Readonly<Record<string, McpServerConfig>>,
): Promise<McpServers> {
  const opened = await Promise.all(Object.entries(configs).map(([name, config]) => openServer(name, config)));
  const byName = new Map<string, Tool>();
  for (const tool of opened.flatMap(({ tools }) => tools)) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return {
    tools: [...byName.values()],
    servers: opened.map(({ status }) => status),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ connection }) => connection[Symbol.asyncDispose]()));
    },
  };
}

interface OpenedServer {
  readonly connection: McpConnection;
  readonly tools: readonly Tool[];
  readonly status: McpServerStatus;
}

async function openServer(name: string, config: McpServerConfig): Promise<OpenedServer> {
  const connection = new McpConnection(config);
  try {
    const listed = await connection.listTools();
    const tools = listed.tools.map((tool) => toolOf(name, tool, connection));
    const { faulty } = listed;
    const status = { name, state: 'connected', toolCount: tools.length } as const;
    return { connection, tools, status: { ...status, ...(faulty.length > 0 ? { faulty } : {}) } };
  } catch (error) {
    return {
      connection,
      tools: [],
      status: { name, state: 'failed', toolCount: 0, error: await failureOf(error, connection) },
    };
  }
}

function toolOf(server: string, tool: McpTool, connection: McpConnection): Tool {
  const isReader = tool.annotations?.readOnlyHint === true;
  return {
    name: mcpToolName(server, tool.name),
    description: tool.description ?? `${tool.name} of ${server}`,
    inputSchema: tool.inputSchema,
    limits: {},
    // What a server says about itself decides the order of calls, not what may run unasked.
    approval: 'ask',
    idempotent: tool.annotations?.idempotentHint === true,
    warning: `It runs on the MCP server ${server}, outside of workspace and sandbox.`,
    prepare: (input) =>
      isObject(input)
        ? {
            type: 'ready',
            touches: isReader ? () => Promise.resolve({ reads: [], writes: [] }) : 'anything',
            execute: (context) => call(server, { name: tool.name, input, connection }, context),
          }
        : { type: 'bad-input', message: `The arguments of ${tool.name} must be one JSON object.` },
  };
}

interface Asked {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly connection: McpConnection;
}

async function call(
  server: string,
  { name, input, connection }: Asked,
  context: ToolContext,
): Promise<ToolReply> {
  const { signal, emit: onProgress } = context;
  try {
    return mcpReply(await connection.call({ name, input, signal, onProgress }));
  } catch (error) {
    if (signal.aborted) throw error;
    const refusal = refusalOf(error);
    if (refusal !== undefined) return { content: refusal, isError: true };
    return {
      content: `The MCP server ${server} failed: ${await failureOf(error, connection)}`,
      isError: true,
    };
  }
}

/** What the SDK itself says where a connection is gone or nothing came: all other codes are the server's. */
const ownCodes: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]);

/** The answer of a server that works and does not take this call; `undefined` for a failure of the server. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof McpError) || ownCodes.has(error.code)) return undefined;
  return error.message;
}

async function failureOf(error: unknown, connection: McpConnection): Promise<string> {
  const lastWords = await connection.lastWords();
  const message = describeError(error);
  return lastWords === '' ? message : `${message}\nIts last words: ${lastWords}`;
}

/** With what caused it: "fetch failed" alone helps nobody. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  // Several addresses of one name that all failed.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const inner = cause ?? first;
  if (inner === undefined) return message;
  const why = describeError(inner);
  return message === '' || why.includes(message) ? why : `${message} (${why})`;
}

const maxChars = 64;
const hashChars = 8;

/**
 * `mcp__server__tool`, in the letters every provider takes and at most 64 of them. A name that had to be changed, or that
 * another pair could have too, ends in a hash of the pair: two tools never share a name.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const clean = plain.replace(/[^a-zA-Z0-9_-]/g, '_');
  const couldBeAnother = server.includes('__') || server.endsWith('_');
  if (clean === plain && clean.length <= maxChars && !couldBeAnother) return plain;
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, hashChars);
  return `${clean.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
