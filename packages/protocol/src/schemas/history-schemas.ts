import { define, listOf, natural } from './define.ts';
import { json, pageOf } from './json-schema.ts';
import { z } from 'zod';
import type { Page } from '../types/json.ts';
import type * as wire from '../types/history.ts';

const mediaPart = define(
  'MediaPart',
  z.object({
    type: z.literal('media'),
    mediaType: z.string(),
    source: z.discriminatedUnion('type', [
      z.object({ type: z.literal('base64'), data: z.string() }),
      z.object({ type: z.literal('url'), url: z.string() }),
    ]),
    filename: z.string().exactOptional(),
  }),
) satisfies z.ZodType<wire.MediaPart>;

const textPart = z.object({ type: z.literal('text'), text: z.string() });

const resultContent = z.discriminatedUnion('type', [
  textPart,
  mediaPart,
]) satisfies z.ZodType<wire.ResultContent>;

const messagePart = define(
  'MessagePart',
  z.discriminatedUnion('type', [
    textPart,
    z.object({ type: z.literal('reasoning'), text: z.string() }),
    z.object({
      type: z.literal('call'),
      callId: z.string(),
      name: z.string(),
      input: json,
      isProviderExecuted: z.boolean().exactOptional(),
    }),
    z.object({
      type: z.literal('result'),
      callId: z.string(),
      name: z.string(),
      content: listOf(resultContent),
      isError: z.boolean().exactOptional(),
      isProviderExecuted: z.boolean().exactOptional(),
    }),
    mediaPart,
    z.object({ type: z.literal('opaque'), value: json }),
  ]),
) satisfies z.ZodType<wire.MessagePart>;

const historyMessage = define(
  'HistoryMessage',
  z.object({
    ordinal: natural.describe('Its place in the history, from 0: the `m12` of a recall id.'),
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    parts: listOf(messagePart),
    marks: listOf(
      z.object({
        isTruncated: z.boolean().exactOptional(),
        isCancelled: z
          .boolean()
          .exactOptional()
          .describe('The call was cancelled: its result has `isError`, and is no failure of the tool.'),
        compactedAtMs: natural.exactOptional(),
      }),
    ).describe('What is known of each part beside its content.'),
    isOpen: z.boolean().describe('It is being written.'),
    createdAtMs: natural,
    model: z.string().exactOptional(),
    error: z.string().exactOptional(),
    finishReason: z.string().exactOptional(),
    usage: z
      .object({
        inputTokens: z.number(),
        outputTokens: z.number(),
        cacheReadTokens: z.number().exactOptional(),
        cacheWriteTokens: z.number().exactOptional(),
      })
      .exactOptional(),
    meta: z.record(z.string(), json).exactOptional(),
  }),
) satisfies z.ZodType<wire.HistoryMessage>;

export const historyPage = define('HistoryPage', pageOf(historyMessage)) satisfies z.ZodType<
  Page<wire.HistoryMessage>
>;

export const searchHit = define(
  'SearchHit',
  z.object({
    id: z.string().describe('Takes one to the whole: see recall.'),
    role: z.string().exactOptional(),
    excerpt: z.string(),
  }),
) satisfies z.ZodType<wire.SearchHit>;

export const searchResult = define(
  'SearchResult',
  z.object({ items: listOf(searchHit).describe('Newest first.') }),
) satisfies z.ZodType<wire.SearchResult>;

export const pinList = define(
  'PinList',
  z.object({ pins: listOf(natural).describe('By their places in the history.') }),
) satisfies z.ZodType<wire.PinList>;

export const recalledText = define(
  'RecalledText',
  z.object({ id: z.string(), role: z.string().exactOptional(), text: z.string() }),
) satisfies z.ZodType<wire.RecalledText>;
