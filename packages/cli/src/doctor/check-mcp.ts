import { countOf } from '../terminal/numbers.ts';
import { fail, ok, warn } from './finding.ts';
import type { Check, Finding } from './finding.ts';
import type { Config } from '@throughline/config';

/** Whoever waits longer for a server than for the rest thinks that nothing happens. */
const mostWaitMs = 10_000;
/** Connecting, and then the list of tools. */
const limitMs = 2.5 * mostWaitMs;

/** One check per MCP server: it is started, or called, and tells its tools. */
export function mcpChecks({ mcpServers }: Config): readonly Check[] {
  return Object.entries(mcpServers).map(([server, config]): Check => {
    const name = `mcp ${server}`;
    const connectTimeoutMs = Math.min(config.connectTimeoutMs ?? mostWaitMs, mostWaitMs);
    return {
      name,
      limitMs,
      run: async (): Promise<readonly Finding[]> => {
        const { connectMcpServers } = await import('@throughline/agent');
        await using connected = await connectMcpServers({ [server]: { ...config, connectTimeoutMs } });
        return connected.servers.map(({ state, toolCount, error = 'it does not answer' }) => {
          if (state === 'failed') return fail(name, `cannot be used: ${error}`);
          return toolCount === 0
            ? warn(name, 'answers, and has no tools.')
            : ok(name, `answers, with ${countOf(toolCount, 'tool')}.`);
        });
      },
    };
  });
}
