import type { serveAcp as Acp } from '../acp/serve-acp.ts';
import type { openSessions as Sessions } from '../mcp/all-sessions.ts';
import type { serveMcp as Mcp } from '../mcp/serve-mcp.ts';
import type { SessionSource } from '../mcp/session-source.ts';

// Their libraries are large: who only listens for HTTP does not wait for them.

/** Serves one editor, until it closes the input or the signal is aborted. Then all that is busy is ended. */
export const serveAcp: typeof Acp = async (...all) => (await import('../acp/serve-acp.ts')).serveAcp(...all);

/** Serves one MCP client, until it closes the input or the signal is aborted. What was asked until then is answered. */
export const serveMcp: typeof Mcp = async (...all) => (await import('../mcp/serve-mcp.ts')).serveMcp(...all);

/** The caller's sessions of a store, and what clients of a proxy have said: for `serveMcp`. */
export const openSessions = async (...all: Parameters<typeof Sessions>): Promise<SessionSource> =>
  (await import('../mcp/all-sessions.ts')).openSessions(...all);
