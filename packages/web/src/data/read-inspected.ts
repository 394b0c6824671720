import { fromConversation } from '../inspect/source/from-conversation.ts';
import { fromSession } from '../inspect/source/from-session.ts';
import type { Client, HistoryMessage, TracePage } from '@throughline/client';
import type { CompactionRecord } from '@throughline/protocol/types';
import type { Inspected } from '../inspect/inspected.ts';

/** Most that the server gives of anything at once. */
const limit = 200;

interface Asked {
  readonly signal?: AbortSignal;
}

/**
 * A live session as the inspector looks at it: the whole of it, from the API. It may go on meanwhile: nothing is ever
 * taken from a history or from the compactions, so what is read later knows all that was named before.
 */
export async function readInspected(client: Client, id: string, asked: Asked = {}): Promise<Inspected> {
  const setup = await client.getSetup({ id }, asked);
  const trace = await allSteps(client, id, asked);
  const [{ title }, messages, changes] = await Promise.all([
    client.getSession({ id }, asked),
    allPages<HistoryMessage>((cursor) => client.listMessages({ id, limit, ...cursor }, asked)),
    allPages<CompactionRecord>((cursor) => client.listChanges({ id, limit, ...cursor }, asked)),
  ]);
  return fromSession({ title: title ?? id, setup, messages, changes, trace });
}

/** A proxied conversation as the inspector looks at it. */
export async function readInspectedConversation(
  client: Client,
  id: string,
  asked: Asked = {},
): Promise<Inspected> {
  const [conversation, history, { items: changes }, context, routes] = await Promise.all([
    client.getProxyConversation({ id }, asked),
    client.getProxyHistory({ id }, asked),
    client.listProxyChanges({ id }, asked),
    client.getProxyContext({ id }, asked),
    client.listProxyRoutes({}, asked),
  ]);
  const { route } = conversation;
  const { items: related } = await client.listProxyConversations({ route, limit }, asked);
  const strategy = routes.items.find(({ name }) => name === route)?.strategy;
  return fromConversation({
    conversation,
    history,
    changes,
    context,
    related,
    ...(strategy !== undefined && { strategy }),
  });
}

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

async function allPages<Item>(
  ask: (cursor: { readonly cursor?: string }) => Promise<PageOf<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let next: string | null | undefined; next !== null;) {
    const page: PageOf<Item> = await ask(next === undefined ? {} : { cursor: next });
    for (const item of page.items) items.push(item);
    next = page.next;
  }
  return items;
}

async function allSteps(client: Client, id: string, asked: Asked): Promise<readonly TracePage[]> {
  const pages: TracePage[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: TracePage = await client.getTrace({ id, limit, after }, asked);
    pages.push(page);
    after = page.next;
  }
  return pages;
}
