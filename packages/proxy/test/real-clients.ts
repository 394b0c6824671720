import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { DialectName } from '../src/stream/dialect-streams.ts';

type Client = (body: Uint8Array) => Promise<unknown>;

/**
 * What the SDK of the dialect makes of the bytes of a stream, read by its own stream helper as the body of a response.
 * Rejects where the SDK does.
 */
export const readAsClient: Readonly<Record<DialectName, Client>> = {
  chat: async (body) => {
    const client = new OpenAI({ ...settings, fetch: answering(body) });
    const request = { model: 'm', messages: [{ role: 'user' as const, content: 'go' }] };
    return plain(await client.chat.completions.stream(request).finalChatCompletion());
  },
  messages: async (body) => {
    const client = new Anthropic({ ...settings, fetch: answering(body) });
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'go' }] };
    return plain(await client.messages.stream(request).finalMessage());
  },
  responses: async (body) => {
    const client = new OpenAI({ ...settings, fetch: answering(body) });
    return plain(await client.responses.stream({ model: 'm', input: 'go' }).finalResponse());
  },
};

const settings = { apiKey: 'none', baseURL: 'http://localhost/v1', maxRetries: 0 };

function answering(body: Uint8Array): typeof fetch {
  return () =>
    Promise.resolve(new Response(new Uint8Array(body), { headers: { 'content-type': 'text/event-stream' } }));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
