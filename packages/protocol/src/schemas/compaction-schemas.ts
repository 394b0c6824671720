import { define, idText, listOf, natural } from './define.ts';
import { z } from 'zod';
import type * as context from '../types/context.ts';
import type * as wire from '../types/compaction.ts';

export const compactRequest = define(
  'CompactRequest',
  z.strictObject({
    focus: z
      .string()
      .min(1)
      .max(10_000)
      .exactOptional()
      .describe('What the summary should pay attention to.'),
    strategy: z.string().min(1).max(100).exactOptional().describe('A strategy by its name.'),
  }),
) satisfies z.ZodType<wire.CompactRequest>;

const cannotFit = z.object({
  type: z.literal('cannot-fit'),
  usableTokens: z.number(),
  requestTokens: z.number(),
});

export const compactAnswer = define(
  'CompactAnswer',
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('compacted'),
      checkpointId: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
      messagesCompacted: natural,
      outputsPruned: natural,
      summary: z.string().nullable(),
    }),
    z.object({ type: z.literal('nothing-to-do'), tokens: z.number() }),
    cannotFit,
    z.object({ type: z.literal('cancelled') }),
  ]),
) satisfies z.ZodType<wire.CompactAnswer>;

const passCost = define(
  'PassCost',
  z.object({
    rewriteUsd: z.number(),
    summariserUsd: z.number(),
    savedPerStepUsd: z.number(),
    breakEvenSteps: z.number().nullable(),
  }),
) satisfies z.ZodType<wire.PassCost>;

const compactionCost = define(
  'CompactionCost',
  z.object({
    durationMs: z.number(),
    messagesCompacted: natural,
    model: z.string().nullable().describe('That wrote the summary; null where code did, or there is none.'),
    usd: passCost.nullable().describe('null where no prices are known.'),
  }),
) satisfies z.ZodType<wire.CompactionCost>;

export const compaction = define(
  'Compaction',
  z.object({
    id: z.string(),
    parent: z.string().nullable().describe('The one before it; null for the first.'),
    reason: z.enum([
      'overflow',
      'threshold',
      'preflight',
      'provider-error',
      'model-switch',
      'background',
      'manual',
    ]),
    strategy: z.string(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    round: natural.nullable().describe('Of the summary it made; null where it made none.'),
    summary: z.string().nullable(),
    range: z
      .object({ first: natural, end: natural })
      .nullable()
      .describe('Messages from `first` up to, and without, `end`, that it compacted.'),
    cost: compactionCost.nullable().describe('What it took; null where that is not known.'),
    createdAtMs: natural,
    isInForce: z.boolean().describe('What it did is part of what the model sees now.'),
    canUndo: z
      .boolean()
      .describe('It is the newest in force, and what the model would see without it fits the window.'),
    canRedo: z.boolean(),
  }),
) satisfies z.ZodType<wire.Compaction>;

export const compactionList = define(
  'CompactionList',
  z.object({ items: listOf(compaction).describe('Oldest first, undone ones included.') }),
) satisfies z.ZodType<wire.CompactionList>;

export const compactionState = define(
  'CompactionState',
  z.object({
    isCompacting: z.boolean(),
    count: natural.describe('Compactions made so far, also undone ones.'),
    lastAtMs: natural.nullable(),
    last: compaction.nullable().describe('The newest that is in force.'),
  }),
) satisfies z.ZodType<wire.CompactionState>;

export const undoAnswer = define(
  'UndoAnswer',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('undone'), checkpointId: z.string(), tokensAfter: z.number() }),
    z.object({ type: z.literal('nothing-to-undo') }),
    z
      .object({ type: z.literal('refused'), usableTokens: z.number(), viewTokens: z.number() })
      .describe('The former view would not fit.'),
  ]),
) satisfies z.ZodType<wire.UndoAnswer>;

export const redoRequest = define(
  'RedoRequest',
  z.strictObject({
    checkpointId: idText
      .exactOptional()
      .describe('Which one, where several were made at the same place; the newest where it is absent.'),
  }),
) satisfies z.ZodType<wire.RedoRequest>;

export const redoAnswer = define(
  'RedoAnswer',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('redone'), checkpointId: z.string(), tokensAfter: z.number() }),
    z.object({ type: z.literal('nothing-to-redo') }),
  ]),
) satisfies z.ZodType<wire.RedoAnswer>;

export const whatIfRequest = define(
  'WhatIfRequest',
  z.strictObject({
    strategies: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(20)
      .readonly()
      .exactOptional()
      .describe('By name; all where it is absent.'),
  }),
) satisfies z.ZodType<wire.WhatIfRequest>;

const whatIf = define(
  'WhatIf',
  z.object({
    strategy: z.string(),
    outcome: compactAnswer,
    messagesShown: natural.describe('Messages of the request, after it.'),
    cost: passCost.nullable().describe('null where no prices are known, or nothing would be done.'),
  }),
) satisfies z.ZodType<wire.WhatIf>;

export const whatIfAnswer = define(
  'WhatIfAnswer',
  z.object({ items: listOf(whatIf) }),
) satisfies z.ZodType<wire.WhatIfAnswer>;

const shownMessage = define(
  'ShownMessage',
  z.object({
    ordinal: natural.nullable().describe('Its place in the history; null for what the program wrote.'),
    isEdited: z.boolean().describe('Something of it was pruned or truncated.'),
    isPinned: z.boolean(),
    message: z.unknown().describe('In the format of the model’s server.'),
  }),
) satisfies z.ZodType<wire.ShownMessage>;

export const compareAnswer = define(
  'CompareAnswer',
  z.object({ now: listOf(shownMessage), before: listOf(shownMessage) }),
) satisfies z.ZodType<wire.CompareAnswer>;

export const contextUsage = define(
  'ContextUsage',
  z.object({
    currentTokens: z.number(),
    limit: z.number().describe('What is usable of the window: reserve and safety are taken off.'),
    windowTokens: z.number(),
    triggerTokens: z.number().describe('Above it the context is compacted.'),
    percentUsed: z.number(),
    level: z.enum(['ok', 'warning', 'critical']),
    byCategory: z.object({
      system: z.number(),
      tools: z.number(),
      user: z.number(),
      assistant: z.number(),
      toolResults: z.number(),
      media: z.number(),
      summary: z.number(),
    }),
    estimated: z.boolean().describe('Part of it was not counted by the provider yet.'),
  }),
) satisfies z.ZodType<context.ContextUsage>;

const contextItem = define(
  'ContextItem',
  z.object({
    type: z.enum(['system', 'tool', 'message', 'summary']),
    name: z.string().describe('Of a tool; of a message the tools in it; of a summary what it is.'),
    ordinal: natural.nullable().describe('Its place in the history; null for what stands in none.'),
    role: z.enum(['system', 'user', 'assistant', 'tool']).nullable(),
    excerpt: z.string().describe('The first words of its text.'),
    tokens: z.number().describe('Its share of the measured tokens of the whole request.'),
    isPinned: z.boolean(),
    isEdited: z.boolean().describe('Something of it is pruned or truncated.'),
  }),
) satisfies z.ZodType<context.ContextItem>;

export const contextItems = define(
  'ContextItems',
  z.object({
    items: listOf(contextItem).describe('The largest first.'),
    others: z
      .object({ count: natural, tokens: z.number() })
      .describe('What is not among them; together with it they are the whole request.'),
  }),
) satisfies z.ZodType<context.ContextItems>;

export const nextRequest = define(
  'NextRequest',
  z.object({ system: z.string(), messages: listOf(z.unknown()) }),
) satisfies z.ZodType<context.NextRequest>;
