import {
  createStrategy,
  emptyState,
  modelLimits,
  openTranscript,
  parseState,
  recall,
  recordUsage,
} from '@throughline/core';
import { dialectOf, readHistory } from './read-history.ts';
import { isObject } from '@throughline/core/codec';
import { marksOf, shownMessages } from './shown-messages.ts';
import { parseJson, replay } from '@throughline/core/internal';
import { passesMade } from './passes-made.ts';
import { policyOf } from '../manage/route-policy.ts';
import type { ContextState, Policy, Transcript } from '@throughline/core';
import type { Dialect } from '../wire/dialect.ts';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { Json } from '@throughline/core/codec';
import type { MeasuredView } from '@throughline/core/internal';
import type {
  MessageHit,
  ProxyConversation as ConversationRow,
  ProxyStore,
  StoredPass,
  Whose,
} from '@throughline/ports';
import type {
  FoundProxyConversation,
  HistoryMessage,
  Page,
  ProxyConversation,
  ProxyHistory,
  RecalledText,
  SearchHit,
} from '@throughline/protocol/types';
import type { PassMade } from './passes-made.ts';

interface PageQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

/** What the store keeps of the proxy's conversations, in one form for all dialects. Nothing of it is kept in memory. */
export interface StoredConversations {
  /** The one used last comes first. */
  list(whose: Whose, query?: PageQuery & { readonly route?: string }): Promise<Page<ProxyConversation>>;
  /** @throws {ContextError} `not-found`, as all that follow */
  read(whose: Whose, id: string): Promise<ProxyConversation>;
  /** The newest page first; inside a page the order is that of the history. */
  messages(whose: Whose, id: string, query?: PageQuery): Promise<Page<HistoryMessage>>;
  /** What passes have made of it, oldest first. */
  compactions(whose: Whose, id: string): Promise<readonly PassMade[]>;
  /** The context of its last request, measured, with what its client sends beside its messages. */
  measured(whose: Whose, id: string): Promise<MeasuredView>;
  /** What is behind a recall id, as it was. */
  recall(whose: Whose, id: string, recallId: string): Promise<RecalledText | undefined>;
  /** Newest first. */
  searchIn(whose: Whose, id: string, query: string, limit?: number): Promise<readonly SearchHit[]>;
  /** A page may hold fewer conversations than `limit`, or none, and still have a next one. */
  search(whose: Whose, query: PageQuery & SearchQuery): Promise<Page<FoundProxyConversation>>;
  /** Its messages as the client wrote them, as a body of a request in its dialect. */
  asRequest(whose: Whose, id: string): Promise<RequestBody>;
  /** The same, read, with the time at which each message came for the first time. */
  history(whose: Whose, id: string): Promise<ProxyHistory>;
  /** `false` where there is none. A client that goes on with it makes it anew. */
  delete(whose: Whose, id: string): Promise<boolean>;
}

/** `format`: its name, as recordings have it. */
interface RequestBody extends Pick<ProxyHistory, 'format'> {
  readonly body: string;
}

const formats: Readonly<Record<DialectName, RequestBody['format']>> = {
  chat: 'openai-chat',
  messages: 'anthropic',
  responses: 'openai-responses',
};

interface SearchQuery {
  readonly query: string;
  readonly hitsPerConversation?: number;
}

interface Surroundings {
  readonly store: Pick<ProxyStore, 'conversations' | 'passes'>;
  /** The policy of a route that is configured. @default that of a route without a context of its own */
  readonly policyFor?: (spoken: {
    readonly route: string;
    readonly model: string;
    readonly dialect: DialectName;
  }) => Policy | undefined;
}

const pageOfMessages = 50;
/** Messages before a page that are looked at: calls whose results are the first of the page. */
const lookBack = 20;

export function storedConversations({ store, policyFor }: Surroundings): StoredConversations {
  const { conversations, passes } = store;
  return {
    list: async (whose, query) => pageWith(await conversations.list(whose, query), infoOf),
    read: async (whose, id) => infoOf(await conversations.read(whose, id)),
    async messages(whose, id, { limit = pageOfMessages, ...query } = {}) {
      const read = await conversations.messages(whose, id, { ...query, limit: limit + lookBack });
      const marks = marksOf(await passes.list(whose, id));
      const { codec } = dialectOf({ messages: read.items, before: read.next });
      const first = Math.max(0, read.items.length - limit);
      const shown = shownMessages(codec, read.items, marks).slice(first);
      return { items: shown, next: read.items[first - 1]?.hash ?? read.next };
    },
    compactions: async (whose, id) => passesMade(await passes.list(whose, id), id),
    async measured(whose, id) {
      const conversation = await conversations.read(whose, id);
      const { dialect, transcript } = await opened(store, whose, id);
      const pass = (await passes.list(whose, id)).at(-1);
      const { route, model } = conversation;
      const policy =
        policyFor?.({ route, model, dialect: dialect.name }) ?? usualPolicy(model, dialect, pass);
      return measuredView({ transcript, policy }, pass, infoOf(conversation));
    },
    async recall(whose, id, recallId) {
      const { transcript } = await opened(store, whose, id);
      const found = recall(transcript, recallId);
      return found && { id: found.recallId, role: found.role, text: found.text };
    },
    searchIn: async (whose, id, query, limit) =>
      (await conversations.searchIn(whose, id, query, limit)).map(foundMessage),
    search: async (whose, query) =>
      pageWith(await conversations.search(whose, query), ({ conversation, hits }) => ({
        conversation: infoOf(conversation),
        hits: hits.map(foundMessage),
      })),
    async asRequest(whose, id) {
      const messages = await readHistory(store, whose, id);
      const { name, messagesKey } = dialectOf({ messages, before: null });
      const list = messages.map(({ message }) => message).join(',\n');
      return { format: formats[name], body: `{"${messagesKey}":[${list}]}` };
    },
    async history(whose, id) {
      const read = await readHistory(store, whose, id);
      return {
        format: formats[dialectOf({ messages: read, before: null }).name],
        messages: read.map(({ message }) => parseJson(message) as Json),
        timesMs: read.map(({ addedAtMs }) => addedAtMs),
        instructions: instructionsIn(await conversations.instructions(whose, id)),
      };
    },
    delete: (whose, id) => conversations.delete(whose, id),
  };
}

function pageWith<Item, Shown>({ items, next }: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { items: items.map(show), next };
}

/** Field by field: what is not named stays here. */
function infoOf(row: ConversationRow): ProxyConversation {
  return {
    id: row.id,
    route: row.route,
    model: row.model,
    title: row.title,
    label: row.label,
    parentId: row.parentId,
    messageCount: row.length,
    requestCount: row.requests,
    compactionCount: row.compactions,
    lastUsage: usageIn(row.lastUsage),
    createdAtMs: row.startedAtMs,
    updatedAtMs: row.usedAtMs,
  };
}

function usageIn(value: Json): ProxyConversation['lastUsage'] {
  if (!isObject(value)) return null;
  const { inputTokens, outputTokens } = value;
  return typeof inputTokens === 'number' && typeof outputTokens === 'number'
    ? { inputTokens, outputTokens }
    : null;
}

function foundMessage({ length, role, excerpt }: MessageHit): SearchHit {
  return { id: `m${length - 1}`, ...(role !== undefined && { role }), excerpt };
}

async function opened(
  store: Pick<ProxyStore, 'conversations'>,
  whose: Whose,
  id: string,
): Promise<{ readonly dialect: Dialect; readonly transcript: Transcript }> {
  const messages = await readHistory(store, whose, id);
  const dialect = dialectOf({ messages, before: null });
  const values = messages.map(({ message }) => parseJson(message));
  const instructions = instructionsIn(await store.conversations.instructions(whose, id));
  return { dialect, transcript: openTranscript({ codec: dialect.codec, ...instructions }, values) };
}

function instructionsIn(value: Json): ProxyHistory['instructions'] {
  if (!isObject(value)) return null;
  const { system, tools } = value;
  return { system: typeof system === 'string' ? system : '', tools: Array.isArray(tools) ? tools : [] };
}

/** Of a route that is not configured here: what its last pass says of the window is better than nothing. */
function usualPolicy(model: string, dialect: Dialect, pass: StoredPass | undefined): Policy {
  const user = pass && { windowTokens: pass.report.windowTokens };
  const limits = modelLimits({ model, endpoint: 'hosted', ...(user && { user }) });
  const route = { policy: { strategy: createStrategy('reactive-overflow') } };
  return policyOf(route, limits, { hasModel: false, request: { dialect, body: {} } });
}

function measuredView(
  { transcript, policy }: Pick<MeasuredView, 'transcript' | 'policy'>,
  pass: StoredPass | undefined,
  { lastUsage }: ProxyConversation,
): MeasuredView {
  const known: ContextState = pass ? parseState(pass.state) : emptyState();
  const { view } = replay(transcript.conversation, known.changes);
  const state = lastUsage
    ? recordUsage(
        transcript,
        { ...known, sentTokens: view.tokens },
        { inputTokens: lastUsage.inputTokens, windowTokens: policy.budget.windowTokens },
      )
    : known;
  return { transcript, view, state, policy };
}
