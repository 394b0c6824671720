import { define, idText, listOf, natural } from './define.ts';
import { searchHit } from './history-schemas.ts';
import { pageOf } from './json-schema.ts';
import { sendMessageAnswer, userContent } from './message-schemas.ts';
import { z } from 'zod';
import type { Page } from '../types/json.ts';
import type * as wire from '../types/session.ts';

const title = z.string().trim().min(1).max(500);

const sessionFields = {
  id: z.string(),
  title: z.string().nullable(),
  folder: z.string().describe('The folder that it works in; empty where it works in none.'),
  model: z.string().nullable(),
  status: z.enum(['idle', 'running', 'compacting', 'waiting']),
  createdAtMs: natural,
  updatedAtMs: natural,
  messageCount: natural,
  lastEventSeq: natural.describe('Number of the newest event; 0 before the first.'),
  compactionCount: natural.describe('Compactions made so far, also undone ones.'),
  lastCompactionAtMs: natural.nullable(),
  parentSessionId: z.string().nullable().describe('The session it was forked from.'),
  forkedAt: natural.nullable().describe('Messages that it took over from there.'),
  family: z.string().describe('The same for all sessions that were forked from one another.'),
};

export const session = define('Session', z.object(sessionFields)) satisfies z.ZodType<wire.Session>;

export const sessionDetail = define(
  'SessionDetail',
  z.object({
    ...sessionFields,
    isRunning: z.boolean().describe('A run is busy in this process.'),
    waitingCount: natural.describe('Messages that wait.'),
    pendingApprovals: natural.describe('Questions that wait for an answer.'),
    openStepAfterSeq: natural
      .nullable()
      .describe('Events behind this number tell all of the step that is under way; null where none is.'),
  }),
) satisfies z.ZodType<wire.SessionDetail>;

export const importedSession = define(
  'ImportedSession',
  z.object({
    ...sessionFields,
    format: z.string().describe('Whose recording it was: `throughline`, or a format of another tool.'),
    notes: listOf(z.string()).describe('What of it was left out, or could not be read.'),
  }),
) satisfies z.ZodType<wire.ImportedSession>;

export const sessionPage = define('SessionPage', pageOf(session)) satisfies z.ZodType<Page<wire.Session>>;

const modelName = z.string().min(1).max(200).describe('One of `GET /api/models`.');

export const createSessionRequest = define(
  'CreateSessionRequest',
  z.strictObject({ title: title.exactOptional(), model: modelName.exactOptional() }),
) satisfies z.ZodType<wire.CreateSessionRequest>;

export const renameSessionRequest = define(
  'RenameSessionRequest',
  z.strictObject({ title }),
) satisfies z.ZodType<wire.RenameSessionRequest>;

const messagePlace = z
  .union([idText, natural])
  .describe('A message: its id, or its place in the history, from 0.');

export const forkSessionRequest = define(
  'ForkSessionRequest',
  z.strictObject({
    at: messagePlace
      .exactOptional()
      .describe('The last message that comes along; the newest where it is absent.'),
    title: title.exactOptional(),
  }),
) satisfies z.ZodType<wire.ForkSessionRequest>;

export const branchSessionRequest = define(
  'BranchSessionRequest',
  z.strictObject({
    at: messagePlace.describe('The user message that is said again: its id, or its place in the history.'),
    content: userContent,
    messageId: idText.exactOptional().describe('Of the message that is sent.'),
    title: title.exactOptional(),
  }),
) satisfies z.ZodType<wire.BranchSessionRequest>;

export const branchAnswer = define(
  'BranchAnswer',
  z.object({ session, sent: sendMessageAnswer }),
) satisfies z.ZodType<wire.BranchAnswer>;

export const foundPage = define(
  'FoundPage',
  pageOf(z.object({ session, hits: listOf(searchHit).describe('Newest first.') })),
) satisfies z.ZodType<Page<wire.FoundSession>>;

export const okAnswer = define('Ok', z.object({ ok: z.literal(true) })) satisfies z.ZodType<wire.Ok>;

export const switchModelRequest = define(
  'SwitchModelRequest',
  z.strictObject({ model: modelName }),
) satisfies z.ZodType<wire.SwitchModelRequest>;

export const switchModelAnswer = define(
  'SwitchModelAnswer',
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('switched'),
      wasCompacted: z.boolean().describe('The larger model made room for the smaller window first.'),
    }),
    z.object({ type: z.literal('cannot-fit'), usableTokens: z.number(), requestTokens: z.number() }),
  ]),
) satisfies z.ZodType<wire.SwitchModelAnswer>;

export const modelList = define(
  'ModelList',
  z.object({
    default: z.string().describe('The one new sessions begin with.'),
    items: listOf(z.object({ name: z.string() })),
  }),
) satisfies z.ZodType<wire.ModelList>;
