import { idText } from '../schemas/define.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const json = { mediaType: 'application/json', about: 'As that API has it.' } as const;
const html = { mediaType: 'text/html', about: 'A page.' } as const;
const chatParams = z.strictObject({ id: idText.describe('Of the chat.') });

const operation = 'Operation';
const compatible = 'APIs of others';
const chat = 'useChat';

/**
 * What is served beside the API of the table: here it is named, so that people find it. What its requests and answers
 * are is said where they come from.
 */
export const otherRoutes = {
  health: {
    method: 'GET',
    path: '/health',
    group: operation,
    summary: 'Says that the server is there. Needs no token.',
    answers: { 200: { mediaType: 'application/json', about: 'It is there.' } },
  },
  ready: {
    method: 'GET',
    path: '/ready',
    group: operation,
    summary: 'Says whether the server can work: its store answers and it does not stop. Needs no token.',
    answers: { 200: { mediaType: 'application/json', about: 'It can.' } },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    group: operation,
    summary: 'Numbers for Prometheus.',
    answers: { 200: { mediaType: 'text/plain', about: 'In the text format of Prometheus.' } },
  },
  errorsPage: {
    method: 'GET',
    path: '/errors',
    group: operation,
    summary:
      'What each problem means and what to do about it: where the `type` of a problem leads. Needs no token.',
    answers: { 200: html },
  },
  landingPage: {
    method: 'GET',
    path: '/',
    group: operation,
    summary: 'What this is and what to try. Needs no token.',
    answers: { 200: html },
  },
  openApi: {
    method: 'GET',
    path: '/api/openapi.json',
    group: operation,
    summary: 'This document.',
    answers: { 200: { mediaType: 'application/json', about: 'OpenAPI 3.1.' } },
  },
  compatibleModels: {
    method: 'GET',
    path: '/v1/models',
    group: compatible,
    summary: 'Agents as models, in the form of OpenAI, or of Anthropic with the header `anthropic-version`.',
    answers: { 200: json },
  },
  chatCompletions: {
    method: 'POST',
    path: '/v1/chat/completions',
    group: compatible,
    summary: 'Asks an agent as OpenAI’s Chat Completions asks a model; streamed with `stream`.',
    about: 'The header `x-session-id` names a session; without it the one whose history was sent goes on.',
    rawBody: ['application/json'],
    canStream: true,
    answers: { 200: json },
  },
  responses: {
    method: 'POST',
    path: '/v1/responses',
    group: compatible,
    summary: 'Asks an agent as OpenAI’s Responses API asks a model; `previous_response_id` goes on.',
    rawBody: ['application/json'],
    canStream: true,
    answers: { 200: json },
  },
  messages: {
    method: 'POST',
    path: '/v1/messages',
    group: compatible,
    summary: 'Asks an agent as Anthropic’s Messages API asks a model.',
    rawBody: ['application/json'],
    canStream: true,
    answers: { 200: json },
  },
  chat: {
    method: 'POST',
    path: '/api/chat',
    group: chat,
    summary: 'What `useChat` of the AI SDK sends. The answer is its UI message stream.',
    about: 'The header `x-session-id` of the answer names the session that the chat is in.',
    rawBody: ['application/json'],
    answers: { 200: { mediaType: 'text/event-stream', about: 'The UI message stream, version 1.' } },
    problems: ['not-found'],
  },
  chatStream: {
    method: 'GET',
    path: '/api/chat/:id/stream',
    group: chat,
    summary: 'The answer that is being given, for a page that is loaded anew; 204 where there is none.',
    params: chatParams,
    answers: {
      200: { mediaType: 'text/event-stream', about: 'The UI message stream, from where it began.' },
    },
  },
  chatStop: {
    method: 'POST',
    path: '/api/chat/:id/stop',
    group: chat,
    summary: 'Cancels the answer.',
    params: chatParams,
    answers: { 200: { mediaType: 'application/json', about: 'It is cancelled.' } },
    problems: ['not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>;
