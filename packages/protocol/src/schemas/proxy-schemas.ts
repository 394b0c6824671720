import { define, listOf, natural } from './define.ts';
import { json, pageOf } from './json-schema.ts';
import { searchHit } from './history-schemas.ts';
import { z } from 'zod';
import type { Page } from '../types/json.ts';
import type * as wire from '../types/proxy.ts';

const model = z.object({
  model: z.string(),
  windowTokens: natural,
  source: z
    .enum(['user', 'learned', 'discovered', 'catalogue', 'default'])
    .describe(
      '`learned`: from an error of the upstream; `discovered`: it was asked; `default`: nobody knows.',
    ),
  maxInputTokens: natural.nullable().describe('Of a prompt, where the upstream takes less than the window.'),
}) satisfies z.ZodType<wire.ProxyModel>;

const traffic = define(
  'ProxyTraffic',
  z.object({
    sinceMs: natural,
    requests: natural.describe('Questions to a model.'),
    changed: natural.describe('Of them, those that went out with a changed context.'),
    overflows: natural.describe('How often the upstream called one too large.'),
    restarts: natural.describe('How often an answer that had reached the end of the window was continued.'),
    recalls: natural.describe('How often a model has recalled something through the tool of the route.'),
    dialects: listOf(z.enum(['chat', 'messages', 'responses'])).describe('The APIs in which they came.'),
  }),
) satisfies z.ZodType<wire.ProxyTraffic>;

const route = define(
  'ProxyRoute',
  z.object({
    name: z.string().describe('Part of its address: `/proxy/<name>/…`.'),
    upstream: z.string().describe('The server that answers; without a password or a key.'),
    strategy: z.string(),
    windowTokens: natural.nullable().describe('The window that is configured; null where none is.'),
    onFailure: z.enum(['open', 'closed']),
    compaction: z.enum(['proxy', 'upstream']),
    models: listOf(model).describe('Models that were asked for, and the windows that are kept.'),
    traffic: traffic.nullable().describe('null for owners with a name: the numbers are those of all.'),
  }),
) satisfies z.ZodType<wire.ProxyRoute>;

export const proxyRouteList = define(
  'ProxyRouteList',
  z.object({ items: listOf(route) }),
) satisfies z.ZodType<wire.ProxyRouteList>;

export const proxyConversation = define(
  'ProxyConversation',
  z.object({
    id: z.string(),
    route: z.string(),
    model: z.string(),
    title: z.string().describe('The first that the user said, shortened.'),
    label: z.string().nullable().describe('What the client calls its session; several may have the same.'),
    parentId: z.string().nullable().describe('The conversation that it parted from.'),
    messageCount: natural,
    requestCount: natural,
    compactionCount: natural,
    lastUsage: z
      .object({ inputTokens: z.number(), outputTokens: z.number() })
      .nullable()
      .describe('What the upstream said of the last request of which it said something.'),
    createdAtMs: natural,
    updatedAtMs: natural,
  }),
) satisfies z.ZodType<wire.ProxyConversation>;

export const proxyConversationPage = define(
  'ProxyConversationPage',
  pageOf(proxyConversation),
) satisfies z.ZodType<Page<wire.ProxyConversation>>;

const change = z.object({
  type: z.enum([
    'result-truncated',
    'result-pruned',
    'arguments-pruned',
    'text-truncated',
    'media-dropped',
    'reasoning-dropped',
    'range-compacted',
    'range-dropped',
  ]),
  reason: z.string(),
  recallId: z.string().describe('What was there can be recalled by it.'),
  beforeTokens: z.number(),
  afterTokens: z.number(),
}) satisfies z.ZodType<wire.ProxyChange>;

const compaction = define(
  'ProxyCompaction',
  z.object({
    messageCount: natural.describe('Of the history that it was made from.'),
    action: z
      .string()
      .describe('`truncated`, `pruned` or `compacted`; `replayed` where what an earlier one made was kept.'),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    windowTokens: z.number(),
    checkpointId: z.string().nullable(),
    round: natural.nullable().describe('Of the summary it made; null where it made none.'),
    summary: z.string().nullable(),
    range: z
      .object({ first: natural, end: natural })
      .nullable()
      .describe('Messages from `first` up to, and without, `end`, that the summary stands for.'),
    changes: listOf(change).describe('Those that were not there before it.'),
    createdAtMs: natural,
    isInherited: z.boolean().describe('It was made in the conversation that this one parted from.'),
    isInForce: z.boolean().describe('Its changes are those of the next request.'),
  }),
) satisfies z.ZodType<wire.ProxyCompaction>;

export const proxyCompactionList = define(
  'ProxyCompactionList',
  z.object({ items: listOf(compaction).describe('Oldest first.') }),
) satisfies z.ZodType<wire.ProxyCompactionList>;

export const proxyChangeList = define(
  'ProxyChangeList',
  z.object({
    items: listOf(
      compaction.extend({
        state: json.describe('What the engine keeps: all changes of a request behind it.'),
      }),
    ).describe('Oldest first.'),
  }),
) satisfies z.ZodType<wire.ProxyChangeList>;

export const proxyHistory = define(
  'ProxyHistory',
  z.object({
    format: z.enum(['openai-chat', 'openai-responses', 'anthropic']),
    messages: listOf(json).describe('As the client wrote them, oldest first.'),
    timesMs: listOf(natural).describe('When each came for the first time.'),
    instructions: z
      .object({ system: z.string(), tools: listOf(json) })
      .nullable()
      .describe('What the client sent last beside its messages; null where that is not known.'),
  }),
) satisfies z.ZodType<wire.ProxyHistory>;

export const foundProxyPage = define(
  'FoundProxyPage',
  pageOf(z.object({ conversation: proxyConversation, hits: listOf(searchHit).describe('Newest first.') })),
) satisfies z.ZodType<Page<wire.FoundProxyConversation>>;
