/** One server of `mcpServers`: a program that speaks over its input and output, or an address. */
export type McpServerConfig = McpProgram | McpAddress;

interface Timeouts {
  /** Most a call may take; progress starts it anew. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Most connecting may take. @default 30_000 */
  readonly connectTimeoutMs?: number | undefined;
}

export interface McpProgram extends Timeouts {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Beside the few variables every program gets (PATH, HOME …). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

export interface McpAddress extends Timeouts {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
