import { contextUsage } from '../schemas/compaction-schemas.ts';
import {
  foundProxyPage,
  proxyChangeList,
  proxyCompactionList,
  proxyConversation,
  proxyConversationPage,
  proxyHistory,
  proxyRouteList,
} from '../schemas/proxy-schemas.ts';
import { historyPage, recalledText, searchResult } from '../schemas/history-schemas.ts';
import { idText, wholeNumber } from '../schemas/define.ts';
import { okAnswer } from '../schemas/session-schemas.ts';
import { pageQuery } from './route.ts';
import { z } from 'zod';
import type { Route } from './route.ts';

const group = 'Proxy';
const one = '/api/proxy/conversations/:id';
const params = z.strictObject({ id: idText.describe('Of the conversation.') });
const text = z.string().min(1).max(1_000);

/** What a proxy beside the agent remembers. Owners see what came under their own tokens. */
export const proxyRoutes = {
  listProxyRoutes: {
    method: 'GET',
    path: '/api/proxy/routes',
    group,
    summary: 'The proxies that are configured, and what went through them since the server began.',
    answers: { 200: proxyRouteList },
  },
  listProxyConversations: {
    method: 'GET',
    path: '/api/proxy/conversations',
    group,
    summary: 'Lists conversations that clients had through a proxy, the one used last first.',
    about:
      'Those that the store keeps, also of routes that are not configured any more. Owners see what came under their own ' +
      'tokens, whatever key of an upstream it came with.',
    query: z.strictObject({
      route: z.string().min(1).max(200).exactOptional().describe('Only those of this route.'),
      ...pageQuery.shape,
    }),
    answers: { 200: proxyConversationPage },
    problems: ['invalid-option'],
  },
  searchProxyConversations: {
    method: 'GET',
    path: '/api/proxy/search',
    group,
    summary: 'Where a text stands in all of these conversations, the one used last first.',
    about: 'A page may hold fewer conversations than `limit`, or none, and still have a next one.',
    query: z.strictObject({ query: text, ...pageQuery.shape }),
    answers: { 200: foundProxyPage },
    problems: ['invalid-option'],
  },
  getProxyConversation: {
    method: 'GET',
    path: one,
    group,
    summary: 'Tells a conversation.',
    params,
    answers: { 200: proxyConversation },
    problems: ['not-found'],
  },
  deleteProxyConversation: {
    method: 'DELETE',
    path: one,
    group,
    summary: 'Deletes a conversation with all on which no other one stands.',
    about:
      'A client that goes on with it sends its whole history again: then it is there again, from that request on.',
    params,
    answers: { 200: okAnswer },
    problems: ['not-found'],
  },
  listProxyMessages: {
    method: 'GET',
    path: `${one}/messages`,
    group,
    summary:
      'Its history as the client sent it last, in pages: the newest first, in the order of the history inside each.',
    about: 'Images and files are in it as base64.',
    params,
    query: pageQuery,
    answers: { 200: historyPage },
    problems: ['not-found', 'invalid-option'],
  },
  listProxyCompactions: {
    method: 'GET',
    path: `${one}/compactions`,
    group,
    summary: 'What was changed in what the model sees, pass by pass.',
    params,
    answers: { 200: proxyCompactionList },
    problems: ['not-found'],
  },
  listProxyChanges: {
    method: 'GET',
    path: `${one}/changes`,
    group,
    summary: 'The same with what it takes to make the requests anew, for inspectors.',
    params,
    answers: { 200: proxyChangeList },
    problems: ['not-found'],
  },
  getProxyHistory: {
    method: 'GET',
    path: `${one}/history`,
    group,
    summary: 'Its whole history word for word, in the format of the API in which it came, for inspectors.',
    about: 'With what the client sent last beside its messages.',
    params,
    answers: { 200: proxyHistory },
    problems: ['not-found'],
  },
  getProxyContext: {
    method: 'GET',
    path: `${one}/context`,
    group,
    summary: 'How full the context of its last request was, and with what.',
    about:
      'Of a conversation whose instructions and tools are not known (an earlier version did not keep them) what the ' +
      'upstream counted beside the messages stands under `system`, tools included.',
    params,
    answers: { 200: contextUsage },
    problems: ['not-found'],
  },
  searchProxyConversation: {
    method: 'GET',
    path: `${one}/search`,
    group,
    summary: 'Where a text stands in all that was said, whatever the model still sees of it.',
    params,
    query: z.strictObject({ query: text, limit: wholeNumber(1, 200).exactOptional() }),
    answers: { 200: searchResult },
    problems: ['not-found'],
  },
  recallFromProxy: {
    method: 'GET',
    path: `${one}/recall/:recallId`,
    group,
    summary: 'What a recall id stands for, as it was.',
    params: z.strictObject({ ...params.shape, recallId: idText.describe('As `m12` or `m12.3`.') }),
    answers: { 200: recalledText },
    problems: ['not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>;
