import { define, listOf, natural } from './define.ts';
import { z } from 'zod';
import type * as wire from '../types/settings.ts';

const positive = z.int().min(1);
const share = z.number().gt(0).max(1);

/** An object that says of a name it does not know which ones it knows. */
function strictNaming<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `is not known here; known are ${known}` : undefined),
  });
}

const budget = define(
  'SettingsBudget',
  strictNaming({
    requestMaxTokens: natural.exactOptional(),
    outputReserveTokens: natural.exactOptional().describe('Kept free for the answer.'),
    safetyTokens: natural.exactOptional().describe('Kept free because counts are estimates.'),
    thresholdTokens: positive.exactOptional().describe('Tokens at which any strategy acts.'),
    target: share.exactOptional().describe('Share of the trigger at which pruning and compaction stop.'),
    softThreshold: share.exactOptional().describe('Share at which a summary may be written ahead of need.'),
    keepTokens: natural.exactOptional().describe('Newest tool output that pruning leaves alone.'),
    keepTurns: natural.exactOptional(),
    leastGainTokens: natural.exactOptional(),
    summaryTokens: natural.exactOptional(),
  }),
) satisfies z.ZodType<wire.SettingsBudget>;

/** What is taken back to what the server began with. */
const orBack = <Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<z.ZodNullable<Schema>> =>
  schema.nullable().exactOptional();

const budgetChange = strictNaming({
  requestMaxTokens: orBack(natural),
  outputReserveTokens: orBack(natural),
  safetyTokens: orBack(natural),
  thresholdTokens: orBack(positive),
  target: orBack(share),
  softThreshold: orBack(share),
  keepTokens: orBack(natural),
  keepTurns: orBack(natural),
  leastGainTokens: orBack(natural),
  summaryTokens: orBack(natural),
});

const modelName = z.string().min(1).max(300);

const live = {
  auto: z.boolean().describe('`false`: nothing is compacted unless the user asks.'),
  background: z.boolean().describe('Summaries are written ahead of need.'),
  showsBudget: z.boolean().describe('The model is told how much room is left.'),
};

const modelFields = {
  name: modelName.describe('As `anthropic:claude-sonnet-5`.'),
  baseUrl: z.string().min(1).max(2_000).exactOptional().describe('Where its server is.'),
  windowTokens: z.int().min(1_000).exactOptional().describe('Prompt and answer together.'),
};

const namedModel = define('NamedModel', strictNaming(modelFields)) satisfies z.ZodType<wire.NamedModel>;

const takenModel = define(
  'TakenModel',
  z.object({
    ...modelFields,
    note: z.string().exactOptional().describe('What is worth knowing of it.'),
  }),
) satisfies z.ZodType<wire.TakenModel>;

export const settings = define(
  'Settings',
  z.object({
    model: z.string().describe('The one that sessions begin with.'),
    models: listOf(z.string()),
    summariser: z.enum(['code', 'same', 'model']).describe('Who writes summaries.'),
    strategy: z.string(),
    strategies: listOf(z.string()).describe('Those that there are.'),
    trigger: z.enum(['overflow', 'threshold', 'manual']).describe('When the strategy acts by itself.'),
    windowTokens: positive.nullable().describe('Null: that of the model.'),
    budget,
    byModel: z
      .record(z.string(), z.object({ windowTokens: positive.exactOptional(), budget }))
      .describe('What is different for some models, by their names.'),
    ...live,
    tools: listOf(z.object({ name: z.string(), approval: z.enum(['allow', 'ask', 'deny']) })),
    limits: z
      .object({
        maxSteps: z.number(),
        maxDurationMs: z.number().nullable().describe('Null: none.'),
        graceMs: z.number(),
      })
      .describe('Of one run.'),
    changed: listOf(z.string()).describe(
      'Names of those that are not as configured, as `budget.target` or `approvals.bash`.',
    ),
    canChange: z.boolean().describe('Whether the caller may change settings.'),
    canName: z.boolean().describe('Whether models can be named that the configuration does not have.'),
    isKept: z.boolean().describe('Whether what is changed is kept in the store, for the next start.'),
    refused: listOf(z.object({ name: z.string(), message: z.string() })).describe(
      'Settings that were kept and cannot be had now; they are as configured.',
    ),
    named: z
      .object({ model: takenModel.nullable(), summariser: takenModel.nullable() })
      .describe('Models that were named in the settings; null is what is configured.'),
  }),
) satisfies z.ZodType<wire.Settings>;

export const changeSettingsRequest = define(
  'ChangeSettingsRequest',
  strictNaming({
    strategy: orBack(z.string().min(1).max(100)).describe('One of `strategies`.'),
    summariser: orBack(z.union([z.enum(['code', 'same', 'configured']), namedModel])).describe(
      '`configured`: the configured one; `same`: the model of the session.',
    ),
    model: orBack(namedModel).describe('Of sessions that are opened from then on.'),
    windowTokens: orBack(z.int().min(1_000)),
    budget: orBack(budgetChange).describe('What is named in it changes.'),
    byModel: orBack(
      z.record(
        modelName,
        strictNaming({ windowTokens: orBack(z.int().min(1_000)), budget: orBack(budgetChange) }).nullable(),
      ),
    ).describe('What is different for some models, by their names.'),
    auto: orBack(live.auto),
    background: orBack(live.background),
    showsBudget: orBack(live.showsBudget),
    approvals: orBack(
      z.record(z.string().min(1).max(200), z.enum(['allow', 'ask', 'deny']).nullable()),
    ).describe('By the name of the tool.'),
    limits: orBack(
      strictNaming({
        maxSteps: orBack(positive),
        maxDurationMs: orBack(positive),
        graceMs: orBack(natural),
      }),
    ).describe('Of runs that begin from then on.'),
  }),
) satisfies z.ZodType<wire.ChangeSettingsRequest>;
