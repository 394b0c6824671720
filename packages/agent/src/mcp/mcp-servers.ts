import type { connectMcpServers as Connect } from './connect-mcp-servers.ts';

/**
 * Connects to all servers at once. One that does not answer is reported and costs only its own tools. Never throws. The
 * library of the protocol takes its time to load: who has no servers does not wait for it.
 */
export const connectMcpServers: typeof Connect = async (configs) => {
  if (Object.keys(configs).length === 0)
    return { tools: [], servers: [], [Symbol.asyncDispose]: () => Promise.resolve() };
  return await (await import('./connect-mcp-servers.ts')).connectMcpServers(configs);
};
