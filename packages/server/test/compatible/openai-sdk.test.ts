import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { look, openBench, press, serve } from '../support/serve.ts';
import type { CompatibleOptions } from '../../src/compatible/compatible-routes.ts';
import type { Bench, Script } from '../support/serve.ts';

interface Opened extends Bench {
  readonly client: OpenAI;
  readonly address: string;
}

async function open(
  script: Script,
  agentOptions: Parameters<typeof openBench>[1] = {},
  options: CompatibleOptions = {},
): Promise<Opened> {
  const bench = await openBench(script, agentOptions);
  const address = await serve(compatibleRoutes(bench.services, options));
  return { ...bench, address, client: new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none' }) };
}

const model = 'throughline';
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  reasoningTokens: 5,
  cacheReadTokens: 60,
  totalTokens: 120,
};
const ask = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });

describe('the OpenAI SDK: chat completions', () => {
  it('gets an answer with the usage of the whole run', async () => {
    const { client } = await open(
      [
        { text: 'I look.', calls: [{ callId: 'c', name: 'look', input: { at: 'x' } }], usage },
        { text: 'Done.', usage },
      ],
      { tools: [look] },
    );
    const answer = await client.chat.completions.create({ model, messages: [ask('Look')] });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'I look.\n\nDone.', reasoning_content: '[look {"at":"x"}]' },
    });
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
    expect(answer.usage).toEqual({
      prompt_tokens: 200,
      completion_tokens: 40,
      total_tokens: 240,
      prompt_tokens_details: { cached_tokens: 120 },
      completion_tokens_details: { reasoning_tokens: 10 },
    });
  });

  it('streams it, and counts where it is asked to', async () => {
    const { client } = await open([{ reasoning: 'hm', text: ['Hel', 'lo'], usage }]);
    const stream = client.chat.completions.stream({
      model,
      messages: [ask('Hi')],
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const whole = await stream.finalChatCompletion();
    expect(deltas.join('')).toBe('Hello');
    expect(whole.choices[0]?.finish_reason).toBe('stop');
    expect(whole.usage?.total_tokens).toBe(120);
  });

  it('keeps one session while the client sends everything anew', async () => {
    const { client, driver, store } = await open([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }]);
    const messages: { role: 'user' | 'assistant'; content: string }[] = [];
    for (const text of ['A', 'B', 'C']) {
      messages.push(ask(text));
      const answer = await client.chat.completions.create({ model, messages });
      messages.push({ role: 'assistant', content: ` ${answer.choices[0]?.message.content}\n` });
    }
    expect((await store.sessions.list()).items).toHaveLength(1);
    expect(driver.requests.map(({ messages: sent }) => sent.length)).toEqual([1, 3, 5]);
  });

  it('finds the session of an image, too', async () => {
    const { client, store } = await open([{ text: 'A dot' }, { text: 'Yes' }]);
    const url =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const first = {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'What is it?' },
        { type: 'image_url' as const, image_url: { url } },
      ],
    };
    await client.chat.completions.create({ model, messages: [first] });
    await client.chat.completions.create({
      model,
      messages: [first, { role: 'assistant', content: 'A dot' }, ask('Sure?')],
    });
    expect((await store.sessions.list()).items).toHaveLength(1);
  });

  it('keeps conversations with the same beginning apart, and finds each again after a restart', async () => {
    const opened = await open([{ text: 'First' }, { text: 'Second' }, { text: 'More of the first' }]);
    const { client, store, services } = opened;
    await client.chat.completions.create({ model, messages: [ask('Hi')] });
    await client.chat.completions.create({ model, messages: [ask('Hi')] });
    // Nothing is remembered but what is stored.
    const again = new OpenAI({ baseURL: `${await serve(compatibleRoutes(services))}/v1`, apiKey: 'none' });
    const { data, response } = await again.chat.completions
      .create({ model, messages: [ask('Hi'), { role: 'assistant', content: 'First' }, ask('And?')] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('More of the first');
    const { items } = await store.sessions.list();
    expect(items.map(({ messageCount }) => messageCount).toSorted((a, b) => a - b)).toEqual([2, 4]);
    expect(items.find(({ messageCount }) => messageCount === 4)?.id).toBe(
      response.headers.get('x-session-id'),
    );
  });

  it('follows a client that has changed its history: what it says was said is what the model gets', async () => {
    const { client, driver, store } = await open([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }]);
    await client.chat.completions.create({ model, messages: [ask('A')] });
    await client.chat.completions.create({
      model,
      messages: [ask('A'), { role: 'assistant', content: 'One' }, ask('B')],
    });
    await client.chat.completions.create({
      model,
      messages: [ask('A'), { role: 'assistant', content: 'Something else' }, ask('B')],
    });
    expect((await store.sessions.list()).items).toHaveLength(2);
    expect(JSON.stringify(driver.requests[2]?.messages)).toContain('Something else');
    expect(driver.requests[2]?.messages).toHaveLength(3);
  });

  it("never goes on with somebody else's session, though its history is the same", async () => {
    const script = ['One', 'Two', 'Three', 'Four'].map((text) => ({ text }));
    const { client, store, agent } = await open(script);
    const as = (owner: string, more = {}): { headers: Record<string, string> } => ({
      headers: { 'x-test-owner': owner, ...more },
    });
    const messages = [ask('Hi')];
    const { response } = await client.chat.completions.create({ model, messages }, as('ann')).withResponse();
    const planted = response.headers.get('x-session-id')?.replace(/-1$/, '-2') ?? '';
    const foreign = await client.chat.completions.create({ model, messages }, as('bob')).withResponse();
    const his = await agent.open(foreign.response.headers.get('x-session-id') ?? '');
    await his.fork({ sessionId: planted });
    const next = [ask('Hi'), { role: 'assistant' as const, content: 'Two' }, ask('And?')];
    await client.chat.completions.create({ model, messages: next }, as('ann'));
    expect((await store.sessions.read(planted)).messageCount).toBe(2);
    const named = as('ann', { 'x-session-id': planted });
    const own = await client.chat.completions.create({ model, messages }, named).withResponse();
    expect(own.response.headers.get('x-session-id')).not.toBe(planted);
    expect((await store.sessions.read(planted)).messageCount).toBe(2);
  });

  it('system text is part of the conversation, once, and again where it changes', async () => {
    const { client, driver, store } = await open([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }]);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Speak French.' }];
    for (const [text, system] of [
      ['A', 'Speak French.'],
      ['B', 'Speak French.'],
      ['C', 'Speak Dutch.'],
    ] as const) {
      messages[0] = { role: 'system', content: system };
      messages.push(ask(text));
      const answer = await client.chat.completions.create({ model, messages });
      messages.push({ role: 'assistant', content: answer.choices[0]?.message.content ?? '' });
    }
    expect((await store.sessions.list()).items).toHaveLength(1);
    const sent = JSON.stringify(driver.requests[2]?.messages);
    expect(sent.split('Speak French.')).toHaveLength(2);
    expect(sent.split('Speak Dutch.')).toHaveLength(2);
  });

  it('system text is told again when a compaction has taken it out of sight', async () => {
    const long = 'a long answer about everything '.repeat(2_000);
    const { client, driver, agent } = await open(
      [...Array.from({ length: 6 }, () => ({ text: long })), { text: 'Last' }, { text: 'End' }],
      { context: { windowTokens: 400_000 } },
    );
    // Behind the first message, which a compaction keeps, and too long for a summary.
    const system = `Speak French, and only French. ${'Never do anything else. '.repeat(4_000)}Please.`;
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    const say = async (text: string): Promise<string> => {
      messages.push(ask(text));
      const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
      messages.push({ role: 'assistant', content: data.choices[0]?.message.content ?? '' });
      return response.headers.get('x-session-id') ?? '';
    };
    let id = '';
    for (const text of ['A', 'B', 'C', 'D', 'E', 'F']) {
      if (text === 'B') messages.unshift({ role: 'system', content: system });
      id = await say(text);
    }
    const session = await agent.open(id);
    expect(await session.compact()).toMatchObject({ type: 'compacted' });
    const shown = JSON.stringify((await session.request()).messages);
    expect(await say('G')).toBe(id);
    const said = (step: number): number =>
      JSON.stringify(driver.requests[step]?.messages).split(system).length - 1;
    expect([shown.split(system).length - 1, said(6)]).toEqual([0, 1]);
    // Where it is seen again, once is enough.
    await say('H');
    expect(said(7)).toBe(1);
  });

  it('is told which fields nobody obeys', async () => {
    const { client } = await open([{ text: 'One' }]);
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: {} } }];
    const { data, response } = await client.chat.completions
      .create({ model, messages: [ask('A')], tools, temperature: 0, n: 1 })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('One');
    expect(response.headers.get('x-throughline-ignored')).toBe('tools, temperature, n');
  });

  it('an abort ends the run', async () => {
    const { client, agent } = await open([{ text: 'Once upon', hangs: true }]);
    const { data: stream, response } = await client.chat.completions
      .create({ model, messages: [ask('Tell')], stream: true })
      .withResponse();
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'Once upon') break;
    const session = await agent.open(response.headers.get('x-session-id') ?? '');
    expect(await session.settled()).toEqual({ type: 'cancelled' });
  });

  it('an abort of a request that is not streamed ends the run, too', async () => {
    const { client, agent, store } = await open([{ text: 'Once upon', hangs: true }]);
    const abort = new AbortController();
    const asked = client.chat.completions.create(
      { model, messages: [ask('Tell')] },
      { signal: abort.signal },
    );
    let id: string | undefined;
    while (id === undefined || (await store.sessions.read(id)).messageCount < 2) {
      id = (await store.sessions.list()).items[0]?.id;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    abort.abort();
    await expect(asked).rejects.toThrow(OpenAI.APIUserAbortError);
    expect(await (await agent.open(id)).settled()).toEqual({ type: 'cancelled' });
  });

  it.each([
    { kind: 'rate', status: 429, error: OpenAI.RateLimitError, code: 'rate_limit_exceeded' },
    { kind: 'auth', status: 502, error: OpenAI.InternalServerError, code: 'upstream_error' },
    { kind: 'timeout', status: 504, error: OpenAI.InternalServerError, code: 'timeout' },
  ] as const)(
    'a run that fails by $kind is an error of the SDK, streamed or not, and is not tried again',
    async (row) => {
      const failure = { kind: row.kind, message: 'The provider said no', recoverable: false };
      const { client, driver } = await open([{ failure }, { failure }]);
      for (const stream of [false, true]) {
        const messages = [ask(`Hi ${stream}`)];
        const error: unknown = await client.chat.completions.create({ model, messages, stream }).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(row.error);
        expect(error).toMatchObject({ status: row.status, code: row.code });
      }
      expect(driver.requests).toHaveLength(2);
    },
  );

  it('a fault in the middle of a stream is thrown, and no end is invented', async () => {
    const { client } = await open([{ text: 'Half', failure: { kind: 'provider', message: 'gone' } }]);
    const stream = await client.chat.completions.create({ model, messages: [ask('Hi')], stream: true });
    const said: string[] = [];
    await expect(async () => {
      for await (const chunk of stream) {
        said.push(chunk.choices[0]?.delta.content ?? '');
        expect(chunk.choices[0]?.finish_reason).toBeNull();
      }
    }).rejects.toThrow('gone');
    expect(said.join('')).toBe('Half');
  });

  it('what was asked and not answered is gone on with when the client asks again', async () => {
    const { client, store } = await open([
      { failure: { recoverable: false, message: 'no' } },
      { text: 'Now' },
    ]);
    const messages = [ask('Hi')];
    await expect(client.chat.completions.create({ model, messages })).rejects.toThrow('no');
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer.choices[0]?.message.content).toBe('Now');
    expect((await store.sessions.list()).items.map(({ messageCount }) => messageCount)).toEqual([2]);
  });

  it('a call that would need the user is not made, and the run goes on', async () => {
    const { client } = await open(
      [{ calls: [{ callId: 'c', name: 'press', input: { button: 'red' } }] }, { text: 'I may not.' }],
      { tools: [press], approvals: { isAttended: () => true } },
    );
    const answer = await client.chat.completions.create({ model, messages: [ask('Press')] });
    expect(answer.choices[0]?.message.content).toBe('I may not.');
    expect(answer.choices[0]?.message).toMatchObject({
      reasoning_content: expect.stringContaining('press failed: The user did not allow this call'),
    });
  });

  it('mistakes are told in the shape the SDK knows', async () => {
    const { client } = await open([]);
    await expect(
      client.chat.completions.create({ model: 'gpt-9', messages: [ask('A')] }),
    ).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
    await expect(
      client.chat.completions.create({ model, messages: [{ role: 'assistant', content: 'B' }] }),
    ).rejects.toMatchObject({ status: 400, type: 'invalid_request_error', param: 'messages' });
    await expect(
      client.chat.completions.create({
        model,
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/' } }] },
        ],
      }),
    ).rejects.toMatchObject({ status: 400, param: 'messages[0].content[0].image_url.url' });
  });

  it('lists the agents as models', async () => {
    const bench = await openBench([]);
    const agents = { coder: bench.agent, writer: bench.agent };
    const address = await serve(compatibleRoutes(bench.services, { agents }));
    const client = new OpenAI({ baseURL: `${address}/v1/v1`, apiKey: 'none' });
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(['coder', 'writer']);
    expect((await client.models.retrieve('writer')).object).toBe('model');
    await expect(client.models.retrieve('painter')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the OpenAI SDK: responses', () => {
  it('gets an answer', async () => {
    const { client } = await open([{ text: 'Hello', usage }]);
    const response = await client.responses.create({ model, input: 'Hi', instructions: 'Be brief.' });
    expect(response.output_text).toBe('Hello');
    expect(response.status).toBe('completed');
    expect(response.usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    });
  });

  it('streams it, with reasoning and the work of tools as its summary', async () => {
    const { client } = await open(
      [
        { reasoning: 'hm', text: 'I look.', calls: [{ callId: 'c', name: 'look', input: { at: 'x' } }] },
        { text: ['Do', 'ne.'] },
      ],
      { tools: [look] },
    );
    const stream = client.responses.stream({ model, input: 'Hi', reasoning: { summary: 'auto' } });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const response = await stream.finalResponse();
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'message']);
    expect(response.output_text).toBe('I look.\n\nDone.');
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
  });

  it('goes on with the response it names, and branches off an earlier one', async () => {
    const { client, driver, store } = await open([{ text: 'One' }, { text: 'Two' }, { text: 'Other' }]);
    const first = await client.responses.create({ model, input: 'A' });
    await client.responses.create({ model, input: 'B', previous_response_id: first.id });
    expect((await store.sessions.list()).items).toHaveLength(1);
    expect(driver.requests[1]?.messages).toHaveLength(3);
    await client.responses.create({ model, input: 'C', previous_response_id: first.id });
    expect((await store.sessions.list()).items).toHaveLength(2);
    expect(JSON.stringify(driver.requests[2]?.messages)).not.toContain('Two');
    await expect(
      client.responses.create({ model, input: 'D', previous_response_id: 'resp_x' }),
    ).rejects.toMatchObject({
      status: 400,
      param: 'previous_response_id',
    });
  });

  it('a fault in the middle of a stream is a failed response', async () => {
    const { client } = await open([{ text: 'Half', failure: { kind: 'provider', message: 'gone' } }]);
    const stream = await client.responses.create({ model, input: 'Hi', stream: true });
    let last: OpenAI.Responses.ResponseStreamEvent | undefined;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ type: 'response.failed', response: { error: { message: 'gone' } } });
  });

  it('counts tokens by an estimate', async () => {
    const { client } = await open([]);
    const short = await client.responses.inputTokens.count({ model, input: 'Hi' });
    const long = await client.responses.inputTokens.count({ model, input: 'Hi '.repeat(1_000) });
    expect(short.input_tokens).toBeGreaterThan(0);
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 500);
  });

  it('an abort ends the run', async () => {
    const { client, agent } = await open([{ text: 'Once upon', hangs: true }]);
    const { data: stream, response } = await client.responses
      .create({ model, input: 'Tell', stream: true })
      .withResponse();
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    const session = await agent.open(response.headers.get('x-session-id') ?? '');
    expect(await session.settled()).toEqual({ type: 'cancelled' });
  });
});
