import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { McpResult } from './mcp-result.ts';

/** One server of `mcpServers`: a program that speaks over its input and output, or an address. */
export type McpServerConfig = McpProgram | McpAddress;

interface Timeouts {
  /** Most a call may take; progress starts it anew. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Most connecting may take. @default 30_000 */
  readonly connectTimeoutMs?: number | undefined;
}

/** An MCP server that is started as a program, and spoken to over its input and output. */
export interface McpProgram extends Timeouts {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Beside the few variables every program gets (PATH, HOME …). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** An MCP server at an address, by Streamable HTTP. Its `headers` go with every request; no redirect is followed. */
export interface McpAddress extends Timeouts {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface McpCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** A tool that nobody can use, and why. */
export interface FaultyTool {
  readonly name: string;
  readonly reason: string;
}

interface ListedTools {
  readonly tools: readonly McpTool[];
  readonly faulty: readonly FaultyTool[];
}

const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const callResult = z.looseObject({});

const maxTools = 1_000;

const maxStderrChars = 2_000;

const defaultTimeoutMs = 60_000;

const defaultConnectTimeoutMs = 30_000;

/** A connection that is made when it is needed and made again, once per call, when it was lost. */
export class McpConnection implements AsyncDisposable {
  readonly #config: McpServerConfig;
  #client: Promise<Client> | undefined;
  #stderr = '';
  #isClosed = false;

  constructor(config: McpServerConfig) {
    this.#config = config;
  }

  /** @throws what connecting or listing throws. */
  async listTools(): Promise<ListedTools> {
    const client = await this.#connected();
    const tools: McpTool[] = [];
    const faulty: FaultyTool[] = [];
    let cursor: string | undefined;
    do {
      // Not by `listTools`: one tool that breaks the protocol would cost all of them.
      const params = cursor === undefined ? {} : { cursor };
      const options = { timeout: this.#connectTimeoutMs };
      const page = await client.request({ method: 'tools/list', params }, toolPage, options);
      for (const listed of page.tools) {
        const tool = ToolSchema.safeParse(listed);
        if (tool.success) tools.push(tool.data);
        else faulty.push(faultyTool(listed, tool.error.issues[0]));
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined && tools.length < maxTools);
    return { tools: tools.slice(0, maxTools), faulty };
  }

  /** A call that was sent is never sent again, unless the server says that it did not take it. @throws */
  async call(call: McpCall): Promise<McpResult> {
    const client = await this.#connected();
    try {
      return await this.#send(client, call);
    } catch (error) {
      if (!isLostSession(error)) throw error;
      await this.#drop();
      return await this.#send(await this.#connected(), call);
    }
  }

  /** What a program wrote last to its error output; of one that just ended, too. */
  async lastWords(): Promise<string> {
    // The news that it ended may come before its last words.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#stderr.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  get #connectTimeoutMs(): number {
    return this.#config.connectTimeoutMs ?? defaultConnectTimeoutMs;
  }

  async #send(client: Client, { name, input, signal, onProgress }: McpCall): Promise<McpResult> {
    const params = { name, arguments: { ...input } };
    // Not by `callTool`: one block that breaks the protocol would cost the whole result.
    return await client.request({ method: 'tools/call', params }, callResult, {
      signal,
      timeout: this.#config.timeoutMs ?? defaultTimeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ message }) => {
        if (message !== undefined) onProgress(`${message}\n`);
      },
    });
  }

  #connected(): Promise<Client> {
    if (this.#isClosed) return Promise.reject(new Error('the connection is closed'));
    if (this.#client) return this.#client;
    const client = new Client({ name: 'throughline', version: '0.1.0' });
    const made = this.#connect(client);
    const forget = (): void => {
      if (this.#client === made) this.#client = undefined;
    };
    client.onclose = forget;
    // Errors that belong to a request come with it; the rest (noise on a program's output) is not for anybody here.
    client.onerror = () => {};
    this.#client = made;
    made.catch(forget);
    return made;
  }

  async #connect(client: Client): Promise<Client> {
    try {
      await client.connect(this.#transport(), { timeout: this.#connectTimeoutMs });
      return client;
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
  }

  #transport(): Transport {
    const config = this.#config;
    if ('url' in config) {
      const headers = { ...config.headers };
      return new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: { headers },
        fetch: mcpFetch,
      });
    }
    const { command, args = [], env, cwd } = config;
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'pipe',
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#stderr = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.toString()}`.slice(-maxStderrChars);
    });
    return transport;
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.then((one) => one.close()).catch(() => {});
  }
}

function faultyTool(
  listed: unknown,
  issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined,
): FaultyTool {
  const { name } = (listed ?? {}) as { readonly name?: unknown };
  const place = issue?.path.map(String).join('.') ?? '';
  return {
    name: typeof name === 'string' ? name : '(without a name)',
    reason: `${place === '' ? '' : `${place}: `}${issue?.message ?? 'it is no tool'}`,
  };
}

/** The server forgot the session: it did not look at the request. */
function isLostSession(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 404;
}

/**
 * A `fetch` that says what is at an address where no MCP server is. No redirect is followed: headers with keys would go
 * along.
 */
const mcpFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  const place = placeOf(new URL(url));
  if (status >= 300 && status < 400 && status !== 304) {
    await response.body?.cancel();
    const target = URL.parse(headers.get('location') ?? '', String(url));
    throw new Error(
      `${place} redirects${target ? ` to ${placeOf(target)}` : ''}, and no redirect is followed`,
    );
  }
  if (response.ok && /^text\/html/i.test(headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    throw new Error(`${place} answers with a web page: no MCP server is there`);
  }
  return response;
};

/** Without what may be secret in it. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
