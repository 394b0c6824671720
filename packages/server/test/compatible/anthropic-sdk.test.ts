import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { look, openBench, serve } from '../support/serve.ts';
import type { Bench, Script } from '../support/serve.ts';

interface Opened extends Bench {
  readonly client: Anthropic;
  readonly address: string;
}

async function open(script: Script, options: Parameters<typeof openBench>[1] = {}): Promise<Opened> {
  const bench = await openBench(script, options);
  const address = await serve(compatibleRoutes(bench.services));
  return { ...bench, address, client: new Anthropic({ baseURL: address, apiKey: 'none' }) };
}

const usual = { model: 'throughline', max_tokens: 1_000 };
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 60,
  cacheWriteTokens: 10,
  totalTokens: 120,
};
const ask = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });

describe('the Anthropic SDK: messages', () => {
  it('gets an answer in one text, with the usage of the whole run', async () => {
    const { client } = await open(
      [
        { text: 'I look.', calls: [{ callId: 'c', name: 'look', input: { at: 'x' } }], usage },
        { text: 'Done.', usage },
      ],
      { tools: [look] },
    );
    const answer = await client.messages.create({ ...usual, messages: [ask('Look')] });
    expect(answer.content).toMatchObject([{ type: 'text', text: 'I look.\n\nDone.' }]);
    expect(answer.stop_reason).toBe('end_turn');
    expect(answer.usage).toMatchObject({
      input_tokens: 60,
      cache_read_input_tokens: 120,
      cache_creation_input_tokens: 20,
      output_tokens: 40,
    });
  });

  it('streams it, with reasoning and the work of tools as thinking where that is asked for', async () => {
    const { client } = await open(
      [
        {
          reasoning: 'hm',
          text: ['I ', 'look.'],
          calls: [{ callId: 'c', name: 'look', input: { at: 'x' } }],
          usage,
        },
        { text: 'Done.', usage },
      ],
      { tools: [look] },
    );
    const stream = client.messages.stream({
      ...usual,
      max_tokens: 5_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: [ask('Look')],
    });
    let begun: number | undefined;
    stream.on('streamEvent', (event) => {
      if (event.type === 'message_start') begun = event.message.usage.input_tokens;
    });
    const answer = await stream.finalMessage();
    expect(answer.content).toMatchObject([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'thinking', thinking: '\n\n[look {"at":"x"}]' },
      { type: 'text', text: '\n\nDone.' },
    ]);
    expect(begun).toBeGreaterThan(0);
    expect(answer.usage).toMatchObject({ input_tokens: 60, output_tokens: 40 });
  });

  it('goes on with its session when all blocks come back', async () => {
    const { client, store, driver } = await open([{ reasoning: 'hm', text: 'One' }, { text: 'Two' }]);
    const thinking = { type: 'enabled', budget_tokens: 2_000 } as const;
    const first = await client.messages.create({
      ...usual,
      max_tokens: 5_000,
      thinking,
      messages: [ask('A')],
    });
    await client.messages.create({
      ...usual,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }] },
        { role: 'assistant', content: first.content },
        ask('B'),
      ],
    });
    expect((await store.sessions.list()).items.map(({ messageCount }) => messageCount)).toEqual([4]);
    expect(JSON.stringify(driver.requests[1]?.messages)).toContain('Be brief.');
  });

  it('errors are those of the SDK', async () => {
    const failure = { kind: 'overflow', message: 'too long', recoverable: false } as const;
    const { client } = await open([
      { failure },
      { text: 'Half', failure: { kind: 'provider', message: 'gone' } },
    ]);
    await expect(client.messages.create({ ...usual, messages: [ask('Hi')] })).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error' } },
    });
    await expect(
      client.messages.create({ ...usual, model: 'claude-9', messages: [ask('A')] }),
    ).rejects.toThrow(Anthropic.NotFoundError);
    const stream = client.messages.stream({ ...usual, messages: [ask('Tell')] });
    await expect(stream.finalMessage()).rejects.toMatchObject({
      error: { error: { type: 'api_error', message: 'gone' } },
    });
  });

  it('an abort ends the run', async () => {
    const { client, agent, store } = await open([{ text: 'Once upon', hangs: true }]);
    const stream = client.messages.stream({ ...usual, messages: [ask('Tell')] });
    await new Promise<void>((resolve) => stream.once('text', () => resolve()));
    stream.abort();
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
    const [info] = (await store.sessions.list()).items;
    expect(await (await agent.open(info?.id ?? '')).settled()).toEqual({ type: 'cancelled' });
  });

  it('lists models and counts tokens', async () => {
    const { client } = await open([]);
    const page = await client.models.list();
    expect(page.data).toMatchObject([{ type: 'model', id: 'throughline' }]);
    const { input_tokens: tokens } = await client.messages.countTokens({
      model: 'any',
      messages: [ask('Hi')],
    });
    expect(tokens).toBeGreaterThan(0);
  });
});

describe('what clients send beside', () => {
  it.each(['/v1/messages?beta=true', '/v1/v1/messages?beta=true'])(
    'POST %s is served, unknown fields and all',
    async (path) => {
      const { address } = await open([{ text: 'One' }]);
      const answer = await fetch(address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-beta': 'whatever-2030-01-01' },
        body: JSON.stringify({
          ...usual,
          context_management: { edits: [] },
          output_config: { effort: 'high' },
          tools: [{ name: 'x', defer_loading: true, input_schema: {} }],
          messages: [ask('Hi'), { role: 'system', content: [{ type: 'text', text: 'Today is Monday.' }] }],
        }),
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-throughline-ignored')).toBe(
        'max_tokens, context_management, output_config, tools',
      );
      expect(await answer.json()).toMatchObject({ content: [{ type: 'text', text: 'One' }] });
    },
  );

  it.each([
    ['HEAD', '/v1/messages', 200],
    ['HEAD', '/v1/models', 200],
    ['GET', '/v1/responses', 405],
    ['GET', '/v1/models?limit=1000', 200],
  ])('%s %s is %i', async (method, path, status) => {
    const { address } = await open([]);
    expect((await fetch(address + path, { method })).status).toBe(status);
  });
});
