import { refused } from './turn-end.ts';
import type { McpServer } from '@agentclientprotocol/sdk';
import type { McpServerConfig } from '@throughline/agent';

/** The MCP servers that an editor hands on, as the agent connects to them. */
export function serversOf(servers: readonly McpServer[] = []): Readonly<Record<string, McpServerConfig>> {
  return Object.fromEntries(servers.map((server) => [server.name, configOf(server)]));
}

function configOf(server: McpServer): McpServerConfig {
  if (!('type' in server)) {
    const { command, args, env } = server;
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  }
  if (server.type === 'http') {
    const { url, headers } = server;
    return { url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  }
  throw refused(`The MCP server ${server.name} speaks SSE, which is not supported: use stdio or http.`);
}
