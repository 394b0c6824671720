import {
  branchAnswer,
  branchSessionRequest,
  createSessionRequest,
  forkSessionRequest,
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
import { pageQuery, sessionParams } from './shared.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const group = 'Sessions';
const history = 'History';

export const lineTypes = ['application/x-ndjson', 'application/jsonl', 'application/octet-stream'] as const;

export const sessionRoutes = {
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    group,
    summary: 'Lists sessions, the one touched last first, with their compactions.',
    query: pageQuery,
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
    summary: 'Makes a session of an export.',
    about:
      'The body is what `export` gave. The session gets a new id. All of it is stored, or nothing: a line that cannot ' +
      'be read is named.',
    rawBody: lineTypes,
    answers: { 201: session },
    problems: ['unreadable-file'],
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
    query: pageQuery,
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
