import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { openServer } from '../open-server.ts';

const tokens = [
  { owner: 'ann', token: 'the-token-of-ann-is-this' },
  { owner: 'bob', token: 'the-token-of-bob-is-this' },
];

describe('agents behind the APIs of others, on the server with its guards', () => {
  it('take the token as the key of either SDK, and make sessions of its owner', async () => {
    await using opened = await openServer({ tokens });
    const openai = new OpenAI({ baseURL: `${opened.url}/v1`, apiKey: tokens[0]!.token });
    const anthropic = new Anthropic({ baseURL: opened.url, apiKey: tokens[1]!.token });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const said = await openai.chat.completions.create({ model: 'throughline', messages });
    expect(said.choices[0]?.message.content).not.toBe('');
    await anthropic.messages.create({ model: 'throughline', max_tokens: 100, messages });
    const { items } = await opened.services.agent.store.sessions.list();
    expect(items.map(({ owner }) => owner).toSorted()).toEqual(['ann', 'bob']);
    expect(opened.faults).toEqual([]);
  });

  it('say what is wrong with a body in the shape of their API', async () => {
    await using opened = await openServer();
    const ask = (path: string): Promise<Response> =>
      fetch(opened.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{',
      });
    const chat = await ask('/v1/chat/completions');
    expect([chat.status, await chat.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error' } },
    ]);
    const messages = await ask('/v1/messages');
    expect([messages.status, await messages.json()]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
  });

  it('are reached at a route of the proxy that leads to them, as at the address of the server', async () => {
    await using opened = await openServer({ tokens, agentRoutes: ['coder'] });
    const apiKey = tokens[0]!.token;
    const openai = new OpenAI({ baseURL: `${opened.url}/proxy/coder/v1`, apiKey, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: `${opened.url}/proxy/coder`, apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const said = await openai.chat.completions.create({ model: 'throughline', messages });
    const streamed = openai.responses.stream({ model: 'throughline', input: 'Hello' });
    const counted = await anthropic.messages.countTokens({ model: 'throughline', messages });
    expect(said.choices[0]?.message.content).not.toBe('');
    expect((await streamed.finalResponse()).status).toBe('completed');
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect((await openai.models.list()).data).toMatchObject([{ id: 'throughline' }]);
    const stranger = new OpenAI({ baseURL: `${opened.url}/proxy/coder/v1`, apiKey: 'x', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const path of ['/proxy/other/v1/models', '/proxy/coder/api/sessions', '/proxy/coder/v10/models'])
      expect((await fetch(opened.url + path, { headers })).status).toBe(404);
  });
});
