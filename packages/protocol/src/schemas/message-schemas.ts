import { define, idText, listOf, natural } from './define.ts';
import { runOutcome } from './run-schemas.ts';
import { z } from 'zod';
import type * as wire from '../types/message.ts';

const bytes = {
  data: z.string().min(1).describe('base64, without `data:` before it'),
  mediaType: z.string().max(255).describe('as `image/png`'),
  filename: z.string().max(1_000).exactOptional(),
};

const userPart = define(
  'UserPart',
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({ type: z.literal('image'), ...bytes }),
    z.strictObject({ type: z.literal('file'), ...bytes }),
  ]),
) satisfies z.ZodType<wire.UserPart>;

export const userContent = define(
  'UserContent',
  z.union([z.string().min(1), z.array(userPart).min(1).max(1_000).readonly()]),
) satisfies z.ZodType<wire.UserContent>;

export const sendMessageRequest = define(
  'SendMessageRequest',
  z.strictObject({
    sessionId: idText.exactOptional().describe('The session; a new one where it is absent.'),
    messageId: idText
      .exactOptional()
      .describe('Of the message. The same id a second time is sent once: a client may try again.'),
    content: userContent,
  }),
) satisfies z.ZodType<wire.SendMessageRequest>;

const started = {
  ok: z.literal(true),
  queued: z.literal(false),
  sessionId: z.string(),
  messageId: z.string(),
  runId: z.string().describe('Empty where the message was sent before, and its run is over.'),
};

const messageQueued = define(
  'MessageQueued',
  z.object({
    ok: z.literal(true),
    queued: z.literal(true),
    sessionId: z.string(),
    messageId: z.string(),
    position: z.int().min(1).describe('1 for the next.'),
    message: z.string().describe('A sentence for people.'),
  }),
) satisfies z.ZodType<wire.MessageQueued>;

const messageStarted = define('MessageStarted', z.object(started)) satisfies z.ZodType<wire.MessageStarted>;

export const sendMessageAnswer = define(
  'SendMessageAnswer',
  z.discriminatedUnion('queued', [messageStarted, messageQueued]),
) satisfies z.ZodType<wire.SendMessageAnswer>;

export const messageAnswered = define(
  'MessageAnswered',
  z.object({
    ...started,
    outcome: runOutcome.nullable(),
    reply: z
      .string()
      .describe(
        'All that the model said to it, one text after the other. Empty where it said nothing, also of a run that has completed.',
      ),
  }),
) satisfies z.ZodType<wire.MessageAnswered>;

const waitingPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('media'),
    mediaType: z.string(),
    url: z.string().describe('Where the bytes are kept.'),
    filename: z.string().exactOptional(),
  }),
]);

const waitingMessage = define(
  'WaitingMessage',
  z.object({
    id: z.string(),
    position: z.int().min(1).describe('1 for the next.'),
    parts: listOf(waitingPart),
    acceptedAtMs: natural,
    updatedAtMs: natural,
  }),
) satisfies z.ZodType<wire.WaitingMessage>;

export const queue = define(
  'Queue',
  z.object({ items: listOf(waitingMessage) }),
) satisfies z.ZodType<wire.Queue>;

export const changeWaitingRequest = define(
  'ChangeWaitingRequest',
  z
    .strictObject({
      content: userContent.exactOptional(),
      position: z.int().min(1).max(1_000_000).exactOptional().describe('1 for the next.'),
    })
    .refine(({ content, position }) => content !== undefined || position !== undefined, {
      message: 'expected content, position or both',
    }),
) satisfies z.ZodType<wire.ChangeWaitingRequest>;

export const queueCleared = define(
  'QueueCleared',
  z.object({ ok: z.literal(true), removed: natural }),
) satisfies z.ZodType<wire.QueueCleared>;
