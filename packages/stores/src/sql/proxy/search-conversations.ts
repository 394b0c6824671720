import { setImmediate as giveWay } from 'node:timers/promises';
import { cursorOf } from '../kit/cursors.ts';
import { conversationOf, conversationRow } from './conversation-rows.ts';
import { pathFrom } from './proxy-messages.ts';
import { excerptOf } from '../kit/text-match.ts';
import type {
  ConversationQuery,
  ConversationSearch,
  FoundConversation,
  MessageHit,
  Page,
  Whose,
} from '@throughline/ports';
import type { Tx } from '../kit/schema.ts';
import type { ConversationRow } from './conversation-rows.ts';
import type { ProxySurroundings } from './proxy-scopes.ts';

const hitsInOne = 20;
const pageOfFound = 20;
const hitsPerConversationOfPage = 3;
/** Messages that are looked at in one transaction. */
const messagesTogether = 200;
/** Messages that are looked at for one page. */
const messagesOfPage = 20_000;

interface Search {
  readonly query: string;
  readonly limit: number;
}

interface Looked {
  readonly hits: readonly MessageHit[];
  readonly messages: number;
}

/** See `ProxyConversations.searchIn`. */
export async function searchIn(
  around: ProxySurroundings,
  whose: Whose,
  { id, query, limit = hitsInOne }: { readonly id: string; readonly query: string; readonly limit?: number },
): Promise<readonly MessageHit[]> {
  const row = await around.database.read((tx) => conversationRow(tx, whose, id));
  const { hits } = await lookThrough(around, row, { query, limit });
  return hits;
}

/** See `ProxyConversations.search`. */
export async function searchConversations(
  around: ProxySurroundings,
  {
    query,
    hitsPerConversation = hitsPerConversationOfPage,
    limit = pageOfFound,
    ...listed
  }: ConversationSearch,
  list: (tx: Tx, query: ConversationQuery) => Promise<Page<ConversationRow>>,
): Promise<Page<FoundConversation>> {
  const items: FoundConversation[] = [];
  if (query === '' || limit < 1 || hitsPerConversation < 1) return { items, next: null };
  let messages = 0;
  const { items: rows, next } = await around.database.read((tx) => list(tx, listed));
  for (const [index, row] of rows.entries()) {
    const looked = await lookThrough(around, row, { query, limit: hitsPerConversation });
    if (looked.hits.length > 0) items.push({ conversation: conversationOf(row), hits: looked.hits });
    messages += looked.messages;
    const isLast = index === rows.length - 1 && next === null;
    if (items.length === limit || messages >= messagesOfPage)
      return { items, next: isLast ? null : cursorOf(row.used_at_ms, row.key) };
  }
  return { items, next };
}

/**
 * Without an index: messages come on the way of requests, and whoever searches waits instead. From the head backwards; a
 * message that goes meanwhile ends it.
 */
async function lookThrough(
  { database, anyCaseLike }: ProxySurroundings,
  { scope_key, head_hash }: ConversationRow,
  { query, limit }: Search,
): Promise<Looked> {
  const wanted = query.toLowerCase();
  const hits: MessageHit[] = [];
  let messages = 0;
  if (wanted === '' || limit < 1) return { hits, messages };
  for (let hash: string | null = head_hash; hash !== null; await giveWay()) {
    const from = { hash, limit: messagesTogether };
    const { path, rows } = await database.read(async (tx) => {
      const steps = await pathFrom(tx, scope_key, from);
      const keys = steps.map(({ key }) => key);
      return {
        path: steps,
        rows: keys.length === 0 ? [] : await candidates(tx, keys, { query, anyCaseLike }),
      };
    });
    for (const row of rows) {
      const hit = hitIn(row, wanted);
      if (hit && hits.push(hit) === limit) return { hits, messages };
    }
    messages += path.length;
    hash = path.at(-1)?.parent ?? null;
  }
  return { hits, messages };
}

/** What no writer of JSON escapes, and every database finds whatever its case. */
const sameInJson = /^[\w .,:;()[\]{}=+*#@!?-]+$/;

/** Newest first. */
function candidates(
  tx: Tx,
  keys: readonly number[],
  { query, anyCaseLike }: Pick<Search, 'query'> & Pick<ProxySurroundings, 'anyCaseLike'>,
) {
  return tx
    .selectFrom('proxy_messages')
    .select(['hash', 'length', 'message'])
    .where('key', 'in', keys)
    .$if(sameInJson.test(query), (some) => some.where('message', anyCaseLike, `%${query}%`))
    .orderBy('length', 'desc')
    .execute();
}

function hitIn(
  { hash, length, message }: { readonly hash: string; readonly length: number; readonly message: string },
  wanted: string,
): MessageHit | undefined {
  const parsed = parse(message);
  const texts: string[] = [];
  collect(parsed, texts);
  const excerpt = excerptOf(texts.join('\n'), wanted);
  if (excerpt === undefined) return undefined;
  const role = typeof parsed === 'object' && parsed !== null && 'role' in parsed ? parsed.role : undefined;
  return { hash, length, ...(typeof role === 'string' && { role }), excerpt };
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return message;
  }
}

/** Fields that say nothing to people, in any of the formats. */
const mute = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
  'signature',
  'encrypted_content',
  'media_type',
  'data',
]);

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!value.startsWith('data:')) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) if (!mute.has(name)) collect(one, texts);
  }
}
