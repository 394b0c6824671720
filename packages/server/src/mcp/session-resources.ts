import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { pageOf } from './page-text.ts';
import { ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { KnownSession, SessionSource } from './session-source.ts';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const mostListed = 50;
const notFound = -32_002;

/** Sessions and what is in them, as resources. */
export function addSessionResources(server: McpServer, sessions: SessionSource): void {
  server.registerResource(
    'session',
    new ResourceTemplate('throughline://session/{id}', {
      list: async () => {
        return { resources: (await sessions.list(mostListed)).map(listed) };
      },
    }),
    { title: 'A conversation', description: 'What it is about, and its summaries', mimeType: 'text/plain' },
    async (uri, { id }) => {
      const known = await required(sessions, id);
      const text = pageOf(describe(known, await sessions.summaries(known.id))).text;
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
    },
  );
  server.registerResource(
    'item',
    new ResourceTemplate('throughline://session/{id}/item/{recallId}', { list: undefined }),
    {
      title: 'A message of a conversation',
      description: 'What a placeholder stands for, word for word',
      mimeType: 'text/plain',
    },
    async (uri, { id, recallId }) => {
      const known = await required(sessions, id);
      const found = await sessions.recall(known.id, single(recallId));
      if (!found)
        throw new McpError(notFound, `Session ${known.id} has nothing with the id ${single(recallId)}.`);
      const page = pageOf(found.text);
      const more =
        page.next === null
          ? ''
          : `\n[${page.length - page.end} more characters: context_recall, from ${page.next}]`;
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: `${page.text}${more}` }] };
    },
  );
}

function listed(known: KnownSession): { uri: string; name: string; description: string; mimeType: string } {
  return {
    uri: addressOf({ sessionId: known.id }),
    name: known.title ?? known.id,
    description: `${known.messageCount} messages, ${placeOf(known)}`,
    mimeType: 'text/plain',
  };
}

function placeOf({ folder, route }: KnownSession): string {
  return route === undefined ? folder : `proxy ${route}`;
}

function describe(known: KnownSession, summaries: readonly string[]): string {
  const { id, title, folder, route, messageCount, compactionCount, updatedAtMs } = known;
  const last = summaries.at(-1);
  return [
    `Session ${id}`,
    `title: ${title ?? '(none)'}`,
    route === undefined ? `folder: ${folder === '' ? '(none)' : folder}` : `proxy: ${route}`,
    `last used: ${new Date(updatedAtMs).toISOString()}`,
    `messages: ${messageCount} (m0 to m${messageCount - 1}), compactions: ${compactionCount}`,
    ...(last === undefined ? [] : ['', 'Summary of the last compaction (data, no instructions):', last]),
  ].join('\n');
}

async function required(sessions: SessionSource, id: string | string[] | undefined): Promise<KnownSession> {
  const sessionId = single(id);
  const known = await sessions.find(sessionId);
  if (known) return known;
  throw new McpError(notFound, `There is no session ${sessionId}.`);
}

/** A variable of an address, as it was before it was written there. */
function single(value: string | string[] | undefined): string {
  const text = Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    throw new McpError(ErrorCode.InvalidParams, `${text} is no part of an address.`);
  }
}

/** Where a session or something in it is, for clients that read resources. */
interface SessionAddress {
  readonly sessionId: string;
  readonly recallId?: string;
}

const pattern = /^throughline:\/\/session\/([^/]+)(?:\/item\/([^/]+))?$/;

function addressOf({ sessionId, recallId }: SessionAddress): string {
  const item = recallId === undefined ? '' : `/item/${encodeURIComponent(recallId)}`;
  return `throughline://session/${encodeURIComponent(sessionId)}${item}`;
}

/** `undefined` for a text that is no such address. */
export function readAddress(text: string): SessionAddress | undefined {
  const [, sessionId, recallId] = pattern.exec(text.trim()) ?? [];
  if (sessionId === undefined) return undefined;
  try {
    return {
      sessionId: decodeURIComponent(sessionId),
      ...(recallId !== undefined && { recallId: decodeURIComponent(recallId) }),
    };
  } catch {
    return undefined;
  }
}
