import { define, listOf, natural } from './define.ts';
import { json } from './json-schema.ts';
import { z } from 'zod';
import type * as wire from '../types/run.ts';

const modelFinish = z.enum(['stop', 'length', 'tool-calls', 'refusal', 'window-full', 'paused', 'other']);

const modelFailure = define(
  'ModelFailure',
  z.object({
    kind: z.enum(['overflow', 'bytes', 'media', 'rate', 'auth', 'timeout', 'provider', 'cancelled']),
    message: z.string(),
    recoverable: z.boolean().describe('The same step can still succeed.'),
    status: z.int().exactOptional(),
    retryAfterMs: z.number().exactOptional(),
    promptTokens: z.number().exactOptional(),
    limitTokens: z.number().exactOptional(),
    outputTokens: z.number().exactOptional(),
    unsupported: z.enum(['tools', 'images']).exactOptional(),
    requestId: z.string().exactOptional(),
  }),
) satisfies z.ZodType<wire.ModelFailure>;

const measuredPart = z.object({
  name: z.string(),
  tokens: z.number(),
  recallId: z.string().exactOptional(),
}) satisfies z.ZodType<wire.MeasuredPart>;

export const runOutcome = define(
  'RunOutcome',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('completed'), finish: modelFinish }),
    z.object({ type: z.literal('cancelled') }),
    z.object({
      type: z.literal('limit'),
      limit: z.enum(['steps', 'time']),
      isConcluded: z.boolean().describe('The model had a last step to say what it has.'),
    }),
    z.object({ type: z.literal('failed'), failure: modelFailure }),
    z.object({
      type: z.literal('cannot-fit'),
      usableTokens: z.number(),
      requestTokens: z.number(),
      parts: listOf(measuredPart),
      canCompact: z.boolean(),
      refusal: modelFailure.exactOptional(),
    }),
    z.object({ type: z.literal('lost') }).describe('Another process has taken the session over.'),
    z.object({ type: z.literal('broken'), code: z.string(), message: z.string() }),
  ]),
) satisfies z.ZodType<wire.RunOutcome>;

const run = define(
  'Run',
  z.object({
    id: z.string(),
    startedAtMs: natural,
    endedAtMs: natural.nullable().describe('null while it runs.'),
    outcome: json.describe('A RunOutcome; null while it runs, or when its process died.'),
  }),
) satisfies z.ZodType<wire.Run>;

export const runList = define(
  'RunList',
  z.object({ items: listOf(run).describe('Oldest first.') }),
) satisfies z.ZodType<wire.RunList>;

export const resumeAnswer = define(
  'ResumeAnswer',
  z.object({
    ok: z.literal(true),
    runId: z.string().nullable().describe('null where there was nothing to go on with.'),
  }),
) satisfies z.ZodType<wire.ResumeAnswer>;

export const settleAnswer = define(
  'SettleAnswer',
  z.object({
    ok: z.literal(true),
    outcome: runOutcome
      .nullable()
      .describe(
        'Of the last run, in whatever process; null where there was none, and where it cannot be told.',
      ),
  }),
) satisfies z.ZodType<wire.SettleAnswer>;

const approvalRequest = define(
  'ApprovalRequest',
  z.object({
    id: z.string(),
    callId: z.string(),
    toolName: z.string(),
    input: json,
    grant: z.object({
      toolName: z.string(),
      key: z.string().exactOptional(),
      isExact: z.boolean().exactOptional(),
    }),
    warning: z.string().describe('What the tool can reach; empty where there is nothing to warn of.'),
    requestedAtMs: natural,
  }),
) satisfies z.ZodType<wire.ApprovalRequest>;

export const approvalList = define(
  'ApprovalList',
  z.object({ items: listOf(approvalRequest) }),
) satisfies z.ZodType<wire.ApprovalList>;

export const approvalAnswer = define(
  'ApprovalAnswer',
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('allow'), scope: z.enum(['once', 'session', 'always']) }),
    z.strictObject({ type: z.literal('deny'), reason: z.string().max(10_000).exactOptional() }),
  ]),
) satisfies z.ZodType<wire.ApprovalAnswer>;
