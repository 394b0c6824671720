import {
  branchAnswer,
  branchSessionRequest,
  createSessionRequest,
  forkSessionRequest,
  foundPage,
  importedSession,
  modelList,
  okAnswer,
  renameSessionRequest,
  session,
  sessionDetail,
  sessionPage,
  switchModelAnswer,
  switchModelRequest,
} from '../schemas/session-schemas.ts';
import { historyPage, recalledText, searchResult } from '../schemas/history-schemas.ts';
import { idText, wholeNumber } from '../schemas/define.ts';
import { pageQuery, sessionParams } from './route.ts';
import { stepRequestAnswer, tracePage } from '../schemas/trace-schemas.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const group = 'Sessions';
const history = 'History';

const lineTypes = [
  'application/x-ndjson',
  'application/jsonl',
  'application/json',
  'application/octet-stream',
] as const;

const historyQuery = pageQuery.extend({
  cursor: pageQuery.shape.cursor.describe(
    '`next` of the page before, or the number of a message: the page ends before it.',
  ),
});

export const sessionRoutes = {
  searchSessions: {
    method: 'GET',
    path: '/api/search',
    group: history,
    summary: 'Where a text stands in all sessions, the one touched last first.',
    about: 'A page may hold fewer sessions than `limit`, or none, and still have a next one.',
    query: z.strictObject({ query: z.string().min(1).max(1_000), ...pageQuery.shape }),
    answers: { 200: foundPage },
    problems: ['invalid-option'],
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    group,
    summary: 'Lists sessions, the one touched last first, with their compactions.',
    query: z.strictObject({
      folder: z.string().max(4_096).exactOptional().describe('Only those that work in this folder.'),
      family: idText.exactOptional().describe('Only those that were forked from one another.'),
      updatedSinceMs: wholeNumber(0, 999_999_999_999_999)
        .exactOptional()
        .describe('Only those that were touched at this time or later.'),
      ...pageQuery.shape,
    }),
    answers: { 200: sessionPage },
    problems: ['invalid-option'],
  },
  createSession: {
    method: 'POST',
    path: '/api/sessions',
    group,
    summary: 'Makes an empty session.',
    body: createSessionRequest,
    isBodyOptional: true,
    answers: { 201: session },
    problems: ['not-found'],
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:id',
    group,
    summary: 'Tells a session, and what it does now.',
    params: sessionParams,
    answers: { 200: sessionDetail },
    problems: ['not-found'],
  },
  renameSession: {
    method: 'PATCH',
    path: '/api/sessions/:id',
    group,
    summary: 'Gives a session another title.',
    params: sessionParams,
    body: renameSessionRequest,
    answers: { 200: session },
    problems: ['not-found'],
  },
  deleteSession: {
    method: 'DELETE',
    path: '/api/sessions/:id',
    group,
    summary: 'Deletes a session with all that belongs to it. A run of it is cancelled.',
    params: sessionParams,
    answers: { 200: okAnswer },
    problems: ['not-found'],
  },
  forkSession: {
    method: 'POST',
    path: '/api/sessions/:id/fork',
    group,
    summary: 'Makes a new session with the history up to a message. From then on each goes its own way.',
    params: sessionParams,
    body: forkSessionRequest,
    isBodyOptional: true,
    answers: { 201: session },
    problems: ['not-found'],
  },
  branchSession: {
    method: 'POST',
    path: '/api/sessions/:id/branch',
    group,
    summary: 'Sends a user message again in other words, in a new session with the history before it.',
    params: sessionParams,
    body: branchSessionRequest,
    answers: { 202: branchAnswer },
    problems: ['not-found', 'invalid-option'],
  },
  exportSession: {
    method: 'GET',
    path: '/api/sessions/:id/export',
    group,
    summary: 'The whole session as JSON lines, for `import`.',
    params: sessionParams,
    answers: { 200: { mediaType: 'application/x-ndjson', about: 'A line per record.' } },
    problems: ['not-found'],
  },
  importSession: {
    method: 'POST',
    path: '/api/sessions/import',
    group,
    summary: 'Makes a session of an export, or of what another tool has recorded.',
    about:
      'The body is what `export` gave, or a session of Claude Code, Codex, OpenCode and others, whose format is found by ' +
      'its content. The session gets a new id, and is gone on with as any other. All of it is stored, or nothing: a line ' +
      'that cannot be read is named. Neither permissions nor calls without a result are taken over.',
    rawBody: lineTypes,
    answers: { 201: importedSession },
    problems: ['unreadable-file', 'bad-wire-format'],
  },
  switchModel: {
    method: 'POST',
    path: '/api/sessions/:id/model',
    group,
    summary: 'Goes on with another model. Before a smaller window the larger model compacts.',
    params: sessionParams,
    body: switchModelRequest,
    answers: { 200: switchModelAnswer },
    problems: ['not-found', 'busy'],
  },
  listModels: {
    method: 'GET',
    path: '/api/models',
    group,
    summary: 'Lists the models that a session can have.',
    answers: { 200: modelList },
  },
  listMessages: {
    method: 'GET',
    path: '/api/sessions/:id/messages',
    group: history,
    summary: 'The history, in pages: the newest first, in the order of the history inside each.',
    params: sessionParams,
    query: historyQuery,
    answers: { 200: historyPage },
    problems: ['not-found', 'invalid-option'],
  },
  searchSession: {
    method: 'GET',
    path: '/api/sessions/:id/search',
    group: history,
    summary: 'Where a text stands in all that was said, whatever the model still sees of it.',
    params: sessionParams,
    query: z.strictObject({
      query: z.string().min(1).max(1_000),
      limit: wholeNumber(1, 200).exactOptional(),
    }),
    answers: { 200: searchResult },
    problems: ['not-found'],
  },
  getBlob: {
    method: 'GET',
    path: '/api/sessions/:id/blobs/:hash',
    group: history,
    summary: 'The bytes of an image or a file of this session.',
    about: 'Whatever they are, a browser runs nothing of them: what is no plain image is only saved.',
    params: z.strictObject({
      ...sessionParams.shape,
      hash: z.string().regex(/^[0-9a-f]{64}$/, 'expected the hash of a blob'),
    }),
    answers: { 200: { mediaType: 'application/octet-stream', about: 'The bytes, with their own type.' } },
    problems: ['not-found'],
  },
  getTrace: {
    method: 'GET',
    path: '/api/sessions/:id/trace',
    group: history,
    summary:
      'What happened: runs, their steps with usage and times, calls, and why something went as it did.',
    params: sessionParams,
    query: z.strictObject({
      after: wholeNumber(0, 999_999_999_999_999).exactOptional().describe('`next` of the page before.'),
      limit: wholeNumber(1, 200).exactOptional().describe('Steps of a page; 50 unless it is said.'),
    }),
    answers: { 200: tracePage },
    problems: ['not-found'],
  },
  getStepRequest: {
    method: 'GET',
    path: '/api/sessions/:id/steps/:seq/request',
    group: history,
    summary: 'The exact request of a step, made anew from the history and the compactions of that time.',
    params: z.strictObject({
      ...sessionParams.shape,
      seq: wholeNumber(0, 999_999_999_999_999).describe('`seq` of the step in the trace.'),
    }),
    answers: { 200: stepRequestAnswer },
    problems: ['not-found'],
  },
  recall: {
    method: 'GET',
    path: '/api/sessions/:id/recall/:recallId',
    group: history,
    summary: 'What a recall id stands for, as it was.',
    params: z.strictObject({
      ...sessionParams.shape,
      recallId: idText.describe('As `m12`, `m12.3` or `o7`.'),
    }),
    answers: { 200: recalledText },
    problems: ['not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>;
