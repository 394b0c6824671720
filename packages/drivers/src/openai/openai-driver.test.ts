import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenaiDriver } from './openai-driver.ts';
import type { AddressInfo } from 'node:net';
import type { ModelRequest } from '@throughline/core';
import type { Server } from 'node:http';

const request: ModelRequest = {
  purpose: 'summary',
  system: 'Summarise.',
  messages: [{ role: 'user', content: 'history' }],
  maxOutputTokens: 800,
  temperature: 0.3,
};
const completion = (content: string, finish = 'stop'): unknown => ({
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that gives the replies in order, and fails the test when it is asked once too often. */
async function serve(...replies: Reply[]): Promise<{ baseUrl: string; bodies: Record<string, unknown>[] }> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      const reply = replies.shift() ?? { status: 418, body: { error: { message: 'asked once too often' } } };
      outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      outgoing.end(JSON.stringify(reply.body));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, bodies };
}

describe('createOpenaiDriver', () => {
  it('asks for a completion and says what it used', async () => {
    const { baseUrl, bodies } = await serve({ status: 200, body: completion('Done.') });
    const answer = await createOpenaiDriver({ model: 'm', baseUrl }).complete(request, {});
    expect(answer).toEqual({
      type: 'text',
      text: 'Done.',
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(bodies[0]).toMatchObject({
      model: 'm',
      temperature: 0.3,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  it('puts a question behind the messages of the session, with its tools, and says what was cached', async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 850 } };
    const { baseUrl, bodies } = await serve({
      status: 200,
      body: { ...(completion('Done.') as object), usage },
    });
    const tools = [{ type: 'function' as const, function: { name: 'read', parameters: { type: 'object' } } }];
    const cachedPrefix = [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Mend it.' },
    ];
    const driver = createOpenaiDriver({ model: 'm', baseUrl, tools });
    const answer = await driver.complete({ ...request, system: '', cachedPrefix }, {});
    expect(answer).toMatchObject({
      usage: { inputTokens: 900, outputTokens: 5, cachedTokens: 850 },
    });
    expect(bodies[0]).toMatchObject({
      messages: [...cachedPrefix, ...request.messages],
      tools,
      tool_choice: 'none',
    });
    expect(bodies[0]?.['messages']).toHaveLength(3);
  });

  it('leaves out a temperature that the model refuses', async () => {
    const refusal = { error: { message: "Unsupported value: 'temperature'", code: 'unsupported_value' } };
    const { baseUrl, bodies } = await serve(
      { status: 400, body: refusal },
      { status: 200, body: completion('Done.') },
    );
    await createOpenaiDriver({ model: 'm', baseUrl }).complete(request, {});
    expect(bodies[1]).not.toHaveProperty('temperature');
    expect(bodies[1]).toHaveProperty('max_completion_tokens');
  });

  it('tries again after a 500, and gives up as unavailable', async () => {
    const fault = { status: 500, body: { error: { message: 'boom' } }, headers: { 'retry-after-ms': '1' } };
    const { baseUrl, bodies } = await serve(fault, fault, fault);
    const answer = await createOpenaiDriver({ model: 'm', baseUrl }).complete(request, {});
    expect(answer).toMatchObject({ type: 'failed', cause: 'unavailable' });
    expect(bodies).toHaveLength(3);
  });

  it('tells an overflow with its window', async () => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens";
    const { baseUrl } = await serve({ status: 400, body: { error: { message } } });
    const answer = await createOpenaiDriver({ model: 'm', baseUrl }).complete(request, {});
    expect(answer).toMatchObject({ type: 'failed', cause: 'overflow', limitTokens: 4_096 });
  });

  it('tells cut answers, tool calls and refusals from finished ones', async () => {
    const { baseUrl } = await serve(
      { status: 200, body: completion('half', 'length') },
      { status: 200, body: completion('', 'tool_calls') },
      { status: 200, body: completion('', 'content_filter') },
    );
    const driver = createOpenaiDriver({ model: 'm', baseUrl });
    const finishes: unknown[] = [];
    for (let index = 0; index < 3; index += 1) finishes.push(await driver.complete(request, {}));
    expect(finishes).toMatchObject([{ finish: 'length' }, { finish: 'tool-calls' }, { finish: 'refusal' }]);
  });

  it('ends as cancelled when the signal is aborted', async () => {
    const { baseUrl } = await serve();
    const answer = await createOpenaiDriver({ model: 'm', baseUrl }).complete(request, {
      signal: AbortSignal.abort(),
    });
    expect(answer).toMatchObject({ type: 'failed', cause: 'cancelled' });
  });

  it('is unavailable where nobody listens', async () => {
    const driver = createOpenaiDriver({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });
    expect(await driver.complete(request, {})).toMatchObject({ type: 'failed', cause: 'unavailable' });
  });
});
