import { compaction } from './compaction-schemas.ts';
import { define, listOf, natural } from './define.ts';
import { json, pageOf } from './json-schema.ts';
import { z } from 'zod';
import type { Page } from '../types/json.ts';
import type * as wire from '../types/inspection.ts';

const compactionRecord = define(
  'CompactionRecord',
  compaction.extend({
    checkpoint: json.describe('As the engine made it, its changes and those they replaced among it.'),
  }),
) satisfies z.ZodType<wire.CompactionRecord>;

export const changesPage = define('ChangesPage', pageOf(compactionRecord)) satisfies z.ZodType<
  Page<wire.CompactionRecord>
>;

const modelPricing = define(
  'ModelPricing',
  z.object({
    prices: z
      .object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
      .describe('US dollars for a million tokens.'),
    cache: z.object({ kind: z.enum(['automatic', 'marked', 'none']), lifetimeMs: z.number() }),
  }),
) satisfies z.ZodType<wire.ModelPricing>;

const toldTool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of the arguments.'),
}) satisfies z.ZodType<wire.ToldTool>;

export const sessionSetup = define(
  'SessionSetup',
  z.object({
    provider: z.string(),
    model: z.string(),
    codec: z.string().describe('Name of the format that the model’s server takes.'),
    system: z.string(),
    tools: listOf(toldTool).describe('As the model is told them.'),
    untoldTools: listOf(z.string()).describe('Would take too much of the window.'),
    pins: listOf(natural).describe('By their places in the history.'),
    strategy: z.string(),
    trigger: z.enum(['overflow', 'threshold', 'manual']).describe('When the strategy acts by itself.'),
    isAutomatic: z.boolean().describe('false: nothing is compacted unless the user asks.'),
    budget: z.object({ windowTokens: z.number() }).catchall(z.number()).describe('As the engine takes it.'),
    windowTokens: z.number(),
    usableTokens: z.number().describe('What is usable of the window: reserve and safety are taken off.'),
    triggerTokens: z.number().describe('Above it the context is compacted.'),
    pricing: modelPricing.nullable().describe('null where no prices are known.'),
    hasRecall: z.boolean(),
    state: json.describe('What the engine remembers, the changes in force among it.'),
  }),
) satisfies z.ZodType<wire.SessionSetup>;
