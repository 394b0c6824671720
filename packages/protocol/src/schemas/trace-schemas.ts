import { define, listOf, natural } from './define.ts';
import { runOutcome } from './run-schemas.ts';
import { z } from 'zod';
import type * as wire from '../types/trace.ts';

const traceNote = define(
  'TraceNote',
  z.object({
    type: z.string(),
    seq: natural,
    atMs: natural,
    data: z.unknown().describe('As in the event of this type.'),
  }),
) satisfies z.ZodType<wire.TraceNote>;

const traceCall = define(
  'TraceCall',
  z.object({
    callId: z.string(),
    toolName: z.string(),
    startedAtMs: natural,
    success: z.boolean().nullable(),
    isCancelled: z.boolean(),
    isTruncated: z.boolean(),
    durationMs: z.number().nullable(),
    messageId: z.string().nullable(),
  }),
) satisfies z.ZodType<wire.TraceCall>;

const tokenUsage = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
});

const traceStep = define(
  'TraceStep',
  z.object({
    seq: natural.describe('Takes one to the request of the step.'),
    step: natural,
    provider: z.string(),
    model: z.string(),
    startedAtMs: natural,
    context: z
      .object({
        historyLength: natural.describe('Messages that there were.'),
        head: z.string().nullable().describe('The newest compaction in force.'),
        systemHash: z.string().exactOptional().describe('Of the system text.'),
        toolsHash: z.string().exactOptional(),
      })
      .nullable()
      .describe('What its request was made of.'),
    finish: z.string().nullable(),
    usage: tokenUsage.nullable(),
    durationMs: z.number().nullable(),
    firstTokenMs: z.number().nullable(),
    messageId: z.string().nullable().describe('The answer in the history.'),
    calls: listOf(traceCall),
    notes: listOf(traceNote),
  }),
) satisfies z.ZodType<wire.TraceStep>;

const traceRun = define(
  'TraceRun',
  z.object({
    runId: z.string().nullable().describe('null for what happened outside of a run.'),
    startedAtMs: natural.nullable(),
    outcome: runOutcome.nullable(),
    durationMs: z.number().nullable(),
    steps: listOf(traceStep),
    notes: listOf(traceNote).describe('What belongs to no step.'),
  }),
) satisfies z.ZodType<wire.TraceRun>;

export const tracePage = define(
  'TracePage',
  z.object({
    runs: listOf(traceRun),
    next: natural.nullable().describe('What `after` of the next page is; null on the last one.'),
  }),
) satisfies z.ZodType<wire.TracePage>;

export const stepRequestAnswer = define(
  'StepRequestAnswer',
  z.object({
    seq: natural,
    runId: z.string().nullable(),
    step: natural,
    provider: z.string(),
    model: z.string(),
    request: z.unknown().describe('In the format of the model’s server; null where nothing was recorded.'),
    isExact: z.boolean().describe('It is what was sent, to the byte.'),
    differsIn: listOf(z.enum(['not-recorded', 'model', 'settings'])),
  }),
) satisfies z.ZodType<wire.StepRequestAnswer>;
