import { createOpenaiChatDriver } from '@throughline/drivers';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { reply, sse, startServer, stream } from './fake-server.ts';
import type { Reply } from './fake-server.ts';
import { readStep } from './read-step.ts';
import type { ReadStep } from './read-step.ts';

const user = { role: 'user', content: 'Hello' };
const request = { messages: [user] };

/** Lines as servers have sent them. */
function lines(...chunks: readonly object[]): Reply {
  return stream(...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n');
}

async function read(answer: Reply, asked: object = {}): Promise<ReadStep> {
  await using server = await startServer(answer);
  return await readStep(createOpenaiChatDriver({ model: 'm', baseUrl: `${server.url}/v1` }), {
    ...request,
    ...asked,
  });
}

const delta = (fields: object, finish: string | null = null) => ({
  id: 'x',
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const toolCalls = (...calls: readonly object[]) => delta({ tool_calls: calls });
const end = delta({}, 'stop');

describe('traffic of servers that speak Chat Completions', () => {
  it('never repeats what a header holds', async () => {
    await using server = await startServer(
      reply(401, { error: { message: 'No such token: 0123456789abc' } }),
    );
    const headers = { authorization: 'Bearer 0123456789abc' };
    const driver = createOpenaiChatDriver({ model: 'm', baseUrl: `${server.url}/v1`, headers });
    const { last } = await readStep(driver, request);
    expect(last).toMatchObject({ failure: { kind: 'auth', message: 'No such token: [key]' } });
  });

  it('keeps parallel calls apart that all have index 0 (Gemini), with their signatures', async () => {
    const google = { google: { thought_signature: 'c2ln' } };
    const { calls, last } = await read(
      lines(
        toolCalls({
          index: 0,
          id: 'a',
          type: 'function',
          function: { name: 'read', arguments: '{"path":"a"}' },
          extra_content: google,
        }),
        toolCalls({
          index: 0,
          id: 'b',
          type: 'function',
          function: { name: 'read', arguments: '{"path":"b"}' },
        }),
        end,
      ),
    );
    expect(calls).toMatchObject([
      { callId: 'a', input: { path: 'a' } },
      { callId: 'b', input: { path: 'b' } },
    ]);
    expect(last).toMatchObject({
      finish: 'tool-calls',
      messages: [{ tool_calls: [{ id: 'a', extra_content: google }, { id: 'b' }] }],
    });
  });

  it('names calls that come without an id or an index, with ids that no other step has', async () => {
    const whole = { function: { name: 'read', arguments: { path: 'a' } } };
    const answer = lines(toolCalls(whole, whole), end);
    const first = await read(answer);
    expect(first.calls.map(({ callId, input }) => [callId, input])).toEqual([
      ['call_1_0', { path: 'a' }],
      ['call_1_1', { path: 'a' }],
    ]);
    const later = await read(answer, { messages: [user, { role: 'assistant', content: 'x' }, user] });
    expect(later.calls.map(({ callId }) => callId)).toEqual(['call_3_0', 'call_3_1']);
    expect(findWireFaults('openai-chat', [user, ...first.last.messages], { ending: 'open' })).toEqual([]);
  });

  it('does not repeat an id within a response', async () => {
    const call = (index: number) => ({ index, id: 'same', function: { name: 'read', arguments: '{}' } });
    const { calls } = await read(lines(toolCalls(call(0), call(1)), end));
    expect(calls.map(({ callId }) => callId)).toEqual(['same', 'call_1_1']);
  });

  it('reads calls whose id and name are repeated with every piece', async () => {
    const piece = (text: string) =>
      toolCalls({ index: 0, id: 'a', function: { name: 'read', arguments: text } });
    const { calls } = await read(lines(piece('{"pa'), piece('th":'), piece('"a"}'), end));
    expect(calls).toMatchObject([{ callId: 'a', name: 'read', input: { path: 'a' } }]);
  });

  it('takes custom tools, whose input is any text', async () => {
    const { calls, last } = await read(
      lines(
        toolCalls({ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '*** Be' } }),
        toolCalls({ index: 0, custom: { input: 'gin' } }),
        end,
      ),
    );
    expect(calls).toMatchObject([{ name: 'patch', input: '*** Begin', isInvalid: false }]);
    expect(last.messages).toMatchObject([{ tool_calls: [{ custom: { input: '*** Begin' } }] }]);
  });

  it('puts the reasoning blocks of OpenRouter together, and tells their text once', async () => {
    const block = (fields: object) => ({
      type: 'reasoning.text',
      index: 0,
      format: 'anthropic-claude-v1',
      ...fields,
    });
    const { reasoning, last } = await read(
      lines(
        delta({ content: '', reasoning: 'Let me ', reasoning_details: [block({ text: 'Let me ' })] }),
        delta({ content: '', reasoning: 'see.', reasoning_details: [block({ text: 'see.' })] }),
        delta({ content: '', reasoning_details: [block({ signature: 'c2ln' })] }),
        delta({ content: 'Seen.' }, 'stop'),
      ),
    );
    expect(reasoning).toBe('Let me see.');
    expect(last.messages).toEqual([
      {
        role: 'assistant',
        content: 'Seen.',
        reasoning_details: [block({ text: 'Let me see.', signature: 'c2ln' })],
      },
    ]);
  });

  it('gives reasoning back under the name it came under, once', async () => {
    for (const field of ['reasoning', 'reasoning_content']) {
      const { last } = await read(lines(delta({ [field]: 'Hm' }), delta({ content: 'Yes' }, 'stop')));
      expect(last.messages).toEqual([{ role: 'assistant', content: 'Yes', [field]: 'Hm' }]);
    }
    const both = delta({ reasoning: 'Hm', reasoning_content: 'Hm' });
    const { reasoning } = await read(lines(both, delta({ content: 'Yes' }, 'stop')));
    expect(reasoning).toBe('Hm');
  });

  it('reads the blocks of Mistral, and gives them back as blocks', async () => {
    const { reasoning, text, last } = await read(
      lines(
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
        delta({ content: [{ type: 'text', text: 'Yes' }] }, 'stop'),
      ),
    );
    expect([reasoning, text]).toEqual(['Hm', 'Yes']);
    expect(last.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Yes' },
        ],
      },
    ]);
  });

  it('tells a refusal', async () => {
    const { text, last } = await read(
      lines(delta({ refusal: 'I will ' }), delta({ refusal: 'not.' }, 'stop')),
    );
    expect(text).toBe('I will not.');
    expect(last).toMatchObject({ finish: 'refusal', messages: [{ content: null, refusal: 'I will not.' }] });
  });

  it('reports nothing to send where nothing was said', async () => {
    const { last } = await read(lines(delta({ reasoning_content: 'Hm' }), delta({}, 'length')));
    expect(last).toMatchObject({ type: 'end', finish: 'length', messages: [] });
  });

  it('counts with the timings of llama.cpp, and with what DeepSeek calls a hit', async () => {
    const timings = { prompt_n: 31, cache_n: 900, predicted_n: 12 };
    const llama = await read(lines(delta({ content: 'Hi' }), { ...end, timings }));
    expect(llama.last).toMatchObject({ usage: { inputTokens: 931, cacheReadTokens: 900, outputTokens: 12 } });
    const usage = { prompt_tokens: 1_000, completion_tokens: 5, prompt_cache_hit_tokens: 640 };
    const deepseek = await read(lines(delta({ content: 'Hi' }, 'stop'), { choices: [], usage }));
    expect(deepseek.last).toMatchObject({
      usage: { inputTokens: 1_000, cacheReadTokens: 640, totalTokens: 1_005 },
    });
  });

  it('reads the error LM Studio puts into a stream that then just ends', async () => {
    const message =
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input';
    const { last } = await read({
      headers: sse,
      frames: [`event: error\ndata: ${JSON.stringify({ error: { message }, message })}\n\n`],
    });
    expect(last).toMatchObject({
      failure: { kind: 'overflow', promptTokens: 13_055, limitTokens: 4_096 },
    });
  });

  it('does without fields that a server refuses, and remembers it', async () => {
    const refuse = (param: string, message: string) =>
      reply(400, { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } });
    await using server = await startServer(
      refuse(
        'max_tokens',
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
      refuse('temperature', "Unsupported value: 'temperature' does not support 0.3 with this model."),
      lines(delta({ content: 'Hi' }, 'stop')),
      lines(delta({ content: 'Hi' }, 'stop')),
      refuse('messages', 'Unknown field messages'),
    );
    const driver = createOpenaiChatDriver({ model: 'm', baseUrl: `${server.url}/v1` });
    const asked = { ...request, temperature: 0.3, maxOutputTokens: 100 };
    for (let step = 0; step < 2; step += 1) expect((await readStep(driver, asked)).text).toBe('Hi');
    expect((await readStep(driver, asked)).last).toMatchObject({
      failure: { kind: 'provider', status: 400 },
    });
    for (const { body } of server.requests.slice(2)) {
      expect(body).toMatchObject({ max_completion_tokens: 100 });
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('max_tokens');
    }
    expect(server.requests).toHaveLength(5);
  });

  it('reads the whole answer of a server that does not stream, however long', async () => {
    const call = {
      id: 'call_a',
      type: 'function',
      function: { name: 'read', arguments: '{"path":"a.ts"}' },
    };
    const content = 'Häuser. '.repeat(40_000);
    const choice = {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content,
        reasoning_content: 'Hm.',
        tool_calls: [call, { ...call, id: 'call_b' }],
      },
    };
    const { last, text, events } = await read(
      reply(200, { id: 'x', choices: [choice], usage: { prompt_tokens: 900, completion_tokens: 5 } }),
    );
    expect(text).toBe(content);
    expect(last).toMatchObject({
      type: 'end',
      finish: 'tool-calls',
      usage: { inputTokens: 900, outputTokens: 5 },
      messages: [{ content, reasoning_content: 'Hm.', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] }],
    });
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(2);
  });

  it('says that a server does not stream', async () => {
    const { last } = await read(reply(200, { id: 'x', choices: [{ message: { content: 'Hi' } }] }));
    expect(last).toMatchObject({
      type: 'error',
      failure: { message: expect.stringContaining('without a stream') as unknown },
    });
  });

  it('sends what the caller adds, and never changes what it was given', async () => {
    await using server = await startServer(lines(end));
    const driver = createOpenaiChatDriver({
      model: 'm',
      baseUrl: `${server.url}/v1`,
      headers: { 'x-team': 'blue' },
    });
    const messages = Object.freeze([Object.freeze({ ...user })]);
    await readStep(driver, { messages, toolChoice: 'none', settings: { reasoning_effort: 'low' } });
    expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: 'low', messages: [user] });
    expect(server.requests[0]?.body).not.toHaveProperty('tool_choice');
    expect(server.requests[0]?.headers['x-team']).toBe('blue');
  });
});
