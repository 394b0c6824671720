import { createAiSdkDriver } from '@throughline/drivers';
import { createGateway } from 'ai';
import { reply } from '../fake-server.ts';
import { dataEvent } from './wire.ts';
import type { Said, Wire } from './wire.ts';

const finishes = { stop: 'stop', length: 'length', 'tool-calls': 'tool-calls', refusal: 'content-filter' };

function say({ reasoning = [], text = [], calls = [], finish, usage }: Said): readonly string[] {
  const parts: object[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'resp_1', modelId: 'm-2026', timestamp: '2026-11-01T00:00:00.000Z' },
  ];
  if (reasoning.length > 0) {
    parts.push(
      { type: 'reasoning-start', id: '0' },
      ...reasoning.map((delta) => ({ type: 'reasoning-delta', id: '0', delta })),
      { type: 'reasoning-end', id: '0', providerMetadata: { anthropic: { signature: 'c2lnbmF0dXJl' } } },
    );
  }
  if (text.length > 0) {
    parts.push(
      { type: 'text-start', id: '1' },
      ...text.map((delta) => ({ type: 'text-delta', id: '1', delta })),
      { type: 'text-end', id: '1' },
    );
  }
  for (const { id, name, input } of calls) {
    parts.push(
      { type: 'tool-input-start', id, toolName: name },
      ...input.map((delta) => ({ type: 'tool-input-delta', id, delta })),
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName: name, input: input.join('') },
    );
  }
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning: thought = 0 } = usage ?? {};
  parts.push({
    type: 'finish',
    finishReason: { unified: finishes[finish], raw: finishes[finish] },
    usage: {
      inputTokens: {
        total: input,
        noCache: input === undefined ? undefined : input - cacheRead - cacheWrite,
        cacheRead,
        cacheWrite,
      },
      outputTokens: {
        total: output,
        text: output === undefined ? undefined : output - thought,
        reasoning: thought,
      },
    },
  });
  return parts.map(dataEvent);
}

const tooLong = 'prompt is too long: 139162 tokens > 131072 maximum';
const error = (message: string, type: string) => ({ error: { message, type, param: null, code: null } });

/** A provider package that comes with the SDK, and so the real path from `streamText` to a socket. */
export const aiSdkWire: Wire = {
  name: 'ai sdk',
  format: 'ai-sdk',
  create: (url, apiKey = 'none') =>
    createAiSdkDriver({ languageModel: createGateway({ baseURL: url, apiKey })('vendor/m'), apiKey }),
  say,
  errors: {
    overflow: reply(400, error(tooLong, 'invalid_request_error')),
    rate: reply(429, error('Too many requests', 'rate_limit_exceeded'), { 'retry-after': '7' }),
    auth: reply(401, error('invalid key sk-secret', 'authentication_error')),
    down: reply(503, error('The provider is down', 'internal_server_error')),
  },
  overflowInStream: [
    dataEvent({ type: 'stream-start', warnings: [] }),
    dataEvent({ type: 'error', error: { type: 'invalid_request_error', message: tooLong } }),
  ],
  overloadedInStream: [
    dataEvent({ type: 'stream-start', warnings: [] }),
    dataEvent({ type: 'text-start', id: '1' }),
    dataEvent({ type: 'text-delta', id: '1', delta: 'Half' }),
    dataEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  silentOn: [],
};
