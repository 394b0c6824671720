import { z } from 'zod';

const shared = {
  /** Most a call may take, in milliseconds; progress starts it anew. @default 60_000 */
  timeoutMs: z.int().min(1).optional(),
  /** Most connecting may take, in milliseconds. @default 30_000 */
  connectTimeoutMs: z.int().min(1).optional(),
};

/** One server of `mcpServers`: a program that speaks over its input and output, or an address. */
export const mcpServerConfig: z.ZodType<McpServerConfig> = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: z.string().optional(),
    ...shared,
  }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).optional(),
    ...shared,
  }),
]);

export type McpServerConfig = McpProgram | McpAddress;

interface Timeouts {
  readonly timeoutMs?: number | undefined;
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
