import { approvalAnswer, approvalList, resumeAnswer, runList, settleAnswer } from '../schemas/run-schemas.ts';
import { idText, wholeNumber } from '../schemas/define.ts';
import { okAnswer } from '../schemas/session-schemas.ts';
import { sessionParams } from './route.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const group = 'Runs';
const approvals = 'Approvals';

export const runRoutes = {
  subscribe: {
    method: 'GET',
    path: '/api/sessions/:id/events',
    group,
    summary: 'Every event of a session, as server-sent events: for ever, or until a message is answered.',
    about:
      'Each has its type as `event`, its number as `id`, and JSON as `data`. Whoever asks again with `Last-Event-ID` ' +
      'gets what came behind that number, without gap or double. Chunks of a part that has ended come as the whole part.',
    params: sessionParams,
    query: z.strictObject({
      after: wholeNumber(0, 999_999_999_999_999).exactOptional(),
      until: z
        .string()
        .exactOptional()
        .describe('Id of a message: when it is answered, the stream ends with the reason `answered`.'),
    }),
    answers: { 200: { mediaType: 'text/event-stream', about: 'Events, see docs/server.md.' } },
    problems: ['not-found'],
    isServedApart: true,
  },
  subscribeAll: {
    method: 'GET',
    path: '/api/events',
    group,
    summary: 'Every event of all sessions of the caller, as server-sent events, from now on.',
    about:
      'As those of one session, with `sessionId` beside the rest. The `id` is no number of the session: it names the ' +
      'place in the order in which this process was told. Whoever asks again with it as `Last-Event-ID` (or `?after=`) ' +
      'gets what came behind it, without gap or double; where that is known no more, after a restart or 20 000 events, ' +
      'the stream begins with `stream:missed`, and the sessions are to be looked at again.',
    query: z.strictObject({ after: z.string().max(100).exactOptional() }),
    answers: { 200: { mediaType: 'text/event-stream', about: 'Events, see docs/server.md.' } },
    problems: ['bad-request'],
    isServedApart: true,
  },
  listRuns: {
    method: 'GET',
    path: '/api/sessions/:id/runs',
    group,
    summary: 'Lists the runs of a session, and how each ended.',
    params: sessionParams,
    query: z.strictObject({
      limit: wholeNumber(1, 10_000).exactOptional().describe('The newest so many; all unless it is said.'),
    }),
    answers: { 200: runList },
    problems: ['not-found'],
  },
  cancelRun: {
    method: 'POST',
    path: '/api/sessions/:id/cancel',
    group,
    summary: 'Ends the run that is busy. What was streamed stays; what waits is held.',
    params: sessionParams,
    answers: { 200: okAnswer },
    problems: ['not-found'],
  },
  resumeRun: {
    method: 'POST',
    path: '/api/sessions/:id/resume',
    group,
    summary: 'Goes on with a run that was cut off, or with messages that are held.',
    params: sessionParams,
    answers: { 202: resumeAnswer },
    problems: ['not-found'],
  },
  settleRun: {
    method: 'GET',
    path: '/api/sessions/:id/settled',
    group,
    summary: 'Answers when no run is busy: how the last one ended.',
    params: sessionParams,
    answers: { 200: settleAnswer },
    problems: ['not-found'],
  },
  listApprovals: {
    method: 'GET',
    path: '/api/sessions/:id/approvals',
    group: approvals,
    summary: 'Questions that calls of tools wait with.',
    params: sessionParams,
    answers: { 200: approvalList },
    problems: ['not-found'],
  },
  answerApproval: {
    method: 'POST',
    path: '/api/sessions/:id/approvals/:approvalId',
    group: approvals,
    summary: 'Answers a question. The first answer counts.',
    params: z.strictObject({ ...sessionParams.shape, approvalId: idText }),
    body: approvalAnswer,
    answers: { 200: okAnswer },
    problems: ['not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>;
