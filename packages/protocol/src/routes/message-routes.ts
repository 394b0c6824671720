import {
  changeWaitingRequest,
  messageAnswered,
  queue,
  queueCleared,
  sendMessageAnswer,
  sendMessageRequest,
} from '../schemas/message-schemas.ts';
import { flag, idText } from '../schemas/define.ts';
import { okAnswer } from '../schemas/session-schemas.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const group = 'Messages';

const ofSession = z.strictObject({ sessionId: idText.describe('The session whose messages wait.') });
const waitingParams = z.strictObject({ id: idText.describe('Of the message that waits.') });

export const messageRoutes = {
  sendMessage: {
    method: 'POST',
    path: '/api/message',
    group,
    summary: 'Sends a message, and begins a run with it.',
    about:
      'While a run is busy the message is accepted all the same, and waits: the answer says at which position, and the ' +
      'run takes it at its next step. Without `sessionId` a new session is made. With `Accept: text/event-stream` the ' +
      'answer is the events of the run until it ends; with `?wait=true` it is the whole reply.',
    query: z.strictObject({ wait: flag.exactOptional().describe('Answers when the run has ended.') }),
    body: sendMessageRequest,
    canStream: true,
    answers: {
      202: sendMessageAnswer,
      200: messageAnswered,
    },
    problems: ['not-found', 'already-exists', 'invalid-option'],
  },
  listQueue: {
    method: 'GET',
    path: '/api/message/queue',
    group,
    summary: 'Lists the messages that wait.',
    query: ofSession,
    answers: { 200: queue },
    problems: ['not-found'],
  },
  clearQueue: {
    method: 'DELETE',
    path: '/api/message/queue',
    group,
    summary: 'Removes all messages that wait.',
    query: ofSession,
    answers: { 200: queueCleared },
    problems: ['not-found'],
  },
  changeWaiting: {
    method: 'PATCH',
    path: '/api/message/queue/:id',
    group,
    summary: 'Edits a message that waits, moves it, or both.',
    params: waitingParams,
    query: ofSession,
    body: changeWaitingRequest,
    answers: { 200: queue },
    problems: ['not-found', 'invalid-option'],
  },
  removeWaiting: {
    method: 'DELETE',
    path: '/api/message/queue/:id',
    group,
    summary: 'Removes a message that waits.',
    params: waitingParams,
    query: ofSession,
    answers: { 200: okAnswer },
    problems: ['not-found'],
  },
  sendWaiting: {
    method: 'POST',
    path: '/api/message/queue/:id/send',
    group,
    summary: 'Sends a message that waits at once: what is busy is cancelled.',
    params: waitingParams,
    query: ofSession,
    answers: { 202: sendMessageAnswer },
    problems: ['not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>;
