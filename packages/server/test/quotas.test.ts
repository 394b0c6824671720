import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { openServer } from './open-server.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { OpenedServer } from './open-server.ts';

const token = 'the-token-of-ann-0000';
let opened: OpenedServer;
/** The one session that the owner may have, whose answer has used what they may. */
let sessionId: string;

beforeAll(async () => {
  opened = await openServer({
    tokens: [{ owner: 'ann', token }],
    driver: scriptedModelDriver([{ text: 'Hi.', usage: { inputTokens: 50, totalTokens: 60 } }]),
    agent: { quotaOf: () => ({ maxSessions: 1, maxTokensPerDay: 50 }) },
  });
  const first = await askerOf(opened.url, token)('POST', '/api/message?wait=true', {
    body: { content: 'Hello' },
  });
  sessionId = (first.body as { readonly sessionId: string }).sessionId;
});

afterAll(() => opened[Symbol.asyncDispose]());

it('tells what is used up with 429, and when to come back, in every way in', async () => {
  const ask = askerOf(opened.url, token);
  const second = await ask('POST', `/api/message`, { body: { sessionId, content: 'Again' } });
  expect([second.status, second.body.code]).toEqual([429, 'quota-exceeded']);
  expect(second.body.data).toMatchObject({ owner: 'ann', quota: 'tokens', limit: 50, used: 60 });
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(60);
  const another = await ask('POST', '/api/sessions', { body: {} });
  expect([another.status, another.headers.get('retry-after')]).toEqual([429, null]);
  expect(another.body.data).toMatchObject({ quota: 'sessions', limit: 1, used: 1 });
  const chat = await ask('POST', '/api/chat', {
    body: { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
  });
  expect(chat.status).toBe(429);
});

it('tells SDKs of both providers in their words, and that trying at once is no use', async () => {
  const openai = new OpenAI({ baseURL: `${opened.url}/v1`, apiKey: token });
  const { id: model } = (await openai.models.list()).data[0] ?? expect.unreachable();
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  await expect(openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
    status: 429,
    message: expect.stringContaining('sessions') as string,
  });
  const anthropic = new Anthropic({ baseURL: opened.url, apiKey: token });
  const asked = { model, max_tokens: 10, messages };
  await expect(anthropic.messages.create(asked)).rejects.toMatchObject({
    status: 429,
    error: { error: { type: 'rate_limit_error' } },
  });
});
