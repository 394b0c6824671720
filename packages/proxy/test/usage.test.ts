import { createServer } from 'node:http';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { rawCall } from './raw-call.ts';
import { askerOf, callOf, dialectNames, longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';

const windowTokens = 4_000;

describe.each(dialectNames)('the usage over %s', (dialect) => {
  it.each([true, false])(
    'is what the upstream has counted, of what the model has seen (streamed: %s)',
    async (isStreamed) => {
      const upstream = await createStrictUpstream({ windowTokens });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
      const heard = await askerOf(dialect)(proxy.url, { messages: longTalk(40), isStreamed, maxTokens: 500 });
      await upstream.stop();
      expect(heard.inputTokens).toBe(upstream.requests[0]?.promptTokens);
      expect(heard.inputTokens).toBeLessThan(windowTokens);
      expect(heard.outputTokens).toBe(upstream.requests[0]?.answer?.tokens);
    },
  );

  it('of an answer that was continued is the last prompt, and the output of all calls', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const messages = longTalk(8, 'Answer with 2400 tokens.');
    const heard = await askerOf(dialect)(proxy.url, { messages, isStreamed: false, maxTokens: 6_000 });
    await upstream.stop();
    expect(upstream.requests.length).toBeGreaterThan(1);
    expect(heard.inputTokens).toBe(upstream.requests.at(-1)?.promptTokens);
    const spent = upstream.requests.map(({ answer }) => answer?.tokens ?? 0);
    expect(heard.outputTokens).toBe(spent.reduce((sum, tokens) => sum + tokens, 0));
  });
});

describe('usage that a route asks for', () => {
  it('is asked for again where the answer had to be smaller', async () => {
    const message =
      "This model's maximum context length is 16000 tokens. However, you requested 18000 tokens " +
      '(13000 in the messages, 5000 in the completion).';
    const raw = { status: 400, body: JSON.stringify({ error: { message } }) };
    const upstream = await createStrictUpstream({ failures: [{ raw }] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 20_000, includeUsage: true });
    const more = { max_tokens: 5_000 };
    await rawCall(proxy.url, callOf({ dialect: 'chat', isStreamed: true, messages: longTalk(17), more }));
    await upstream.stop();
    expect(upstream.requests.map(({ json }) => json)).toMatchObject([
      { max_tokens: 5_000, stream_options: { include_usage: true } },
      { max_tokens: 3_000, stream_options: { include_usage: true } },
    ]);
  });
});

describe('the usage at the start of a message', () => {
  it('is never zero: a client that believed it would never make room', async () => {
    const upstream = await createStrictUpstream({ failures: () => 'zero usage at the start' });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const { text } = await rawCall(proxy.url, callOf({ dialect: 'messages', isStreamed: true }));
    await upstream.stop();
    const start = /"type":"message_start".*?"input_tokens":(\d+)/.exec(text)?.[1];
    expect(Number(start)).toBeGreaterThan(5);
    // At the end is what the upstream has counted.
    const end = /"type":"message_delta".*?"input_tokens":(\d+)/.exec(text)?.[1];
    expect(Number(end)).toBe(upstream.requests[0]?.promptTokens);
  });
});

const wholeAnswers = {
  chat: `"id": "a", "big": 12345678901234567890, "choices": [{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]`,
  messages: `"id": "a", "big": 12345678901234567890, "type":"message", "role":"assistant", "content":[{"type":"text","text":"x"}], "stop_reason":"end_turn"`,
  responses: `"id": "a", "big": 12345678901234567890, "status":"completed", "output":[]`,
} as const;
const zeroUsage = {
  chat: '{"prompt_tokens":0,"completion_tokens":3,"total_tokens":3}',
  messages: '{"input_tokens":0,"output_tokens":3}',
  responses: '{"input_tokens":0,"output_tokens":3,"total_tokens":3}',
} as const;

describe.each(dialectNames)('the usage of a whole answer over %s', (dialect) => {
  const [before, usage] = [wholeAnswers[dialect], zeroUsage[dialect]];
  const heard = async (body: string): Promise<string> => {
    const upstream = await createStrictUpstream({ failures: () => ({ raw: { status: 200, body } }) });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const { text } = await rawCall(proxy.url, callOf({ dialect, isStreamed: false }));
    await upstream.stop();
    return text;
  };

  it('has our count of the prompt where the upstream counted none, and all else is as it came', async () => {
    const text = await heard(`{ ${before}, "usage": ${usage} , "tail": 1.0}`);
    const told = /"usage": (\{.*?\}) , "tail": 1\.0\}$/.exec(text)?.[1] ?? '';
    expect(text).toBe(`{ ${before}, "usage": ${told} , "tail": 1.0}`);
    const counts = (JSON.parse(text) as { readonly usage: Readonly<Record<string, number>> }).usage;
    expect(counts['input_tokens'] ?? counts['prompt_tokens']).toBeGreaterThan(5);
    expect(counts['output_tokens'] ?? counts['completion_tokens']).toBe(3);
  });

  it('is left alone where it has one, or where there is none', async () => {
    const bodies = [
      `{ ${before}, "usage": ${usage.replace(':0', ':7')} }`,
      `{ ${before} }`,
      `{ ${before}, "usage": null}`,
    ];
    for (const body of bodies) expect(await heard(body)).toBe(body);
  });
});

/** Of each chunk of a chat stream its usage, and whether it has choices. */
function chunksOf(text: string): readonly { readonly usage: unknown; readonly hasChoices: boolean }[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => {
      const { usage, choices } = JSON.parse(event.slice('data: '.length)) as Record<string, unknown>;
      return { usage, hasChoices: (choices as readonly unknown[]).length > 0 };
    });
}

describe('a client that asks for usage in its stream', () => {
  const asks = { stream_options: { include_usage: true }, max_tokens: 6_000 };
  const cases = [
    { name: 'that is handed on', last: 'Answer with 40 tokens.', restarts: 0, includeUsage: false },
    { name: 'that was continued', last: 'Answer with 2400 tokens.', restarts: 1, includeUsage: true },
    {
      name: 'that ended for want of room',
      last: 'Answer with 14000 tokens.',
      restarts: 3,
      includeUsage: false,
    },
  ];

  it.each(cases)(
    'gets it as the API tells it, of an answer $name',
    async ({ last, restarts, includeUsage }) => {
      const upstream = await createStrictUpstream({ windowTokens });
      const notices = 'content';
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, includeUsage, notices });
      const messages = longTalk(restarts === 1 ? 8 : 24, last);
      const more = { ...asks, max_tokens: restarts > 1 ? 20_000 : 6_000 };
      const { text } = await rawCall(
        proxy.url,
        callOf({ dialect: 'chat', isStreamed: true, messages, more }),
      );
      await upstream.stop();
      expect(upstream.requests.length).toBeGreaterThan(restarts);
      const chunks = chunksOf(text);
      const total = chunks.at(-1);
      expect(total).toMatchObject({ hasChoices: false, usage: { prompt_tokens: expect.any(Number) } });
      for (const chunk of chunks.slice(0, -1)) expect(chunk).toEqual({ hasChoices: true, usage: null });
    },
  );
});

const usageIn = (text: string): number => text.split('"prompt_tokens"').length - 1;

describe('a route that asks for usage', () => {
  const question = callOf({ dialect: 'chat', isStreamed: true });
  const shown = callOf({
    dialect: 'chat',
    isStreamed: true,
    more: { stream_options: { include_usage: true, include_obfuscation: false } },
  });

  it('gets it, and the client that did not ask gets the answer that it would have got', async () => {
    const upstream = await createStrictUpstream();
    const direct = await rawCall(upstream.url, question);
    await using proxy = await startProxy(`${upstream.url}/v1`, { includeUsage: true });
    const answer = await rawCall(proxy.url, question);
    await upstream.stop();
    expect(upstream.requests[1]?.json).toMatchObject({ stream_options: { include_usage: true } });
    expect(usageIn(answer.text)).toBe(0);
    const same = (text: string): string => text.replaceAll(/"(?:id|created)":("[^"]*"|\d+)/g, '');
    expect(same(answer.text)).toBe(same(direct.text));
  });

  it('changes nothing but that: all else is the text of the client', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { includeUsage: true });
    const body =
      ' { "model":"m" ,"seed":12345678901234567890, "messages":[{"role":"user","content":"h\\u0069"}],"stream":true} ';
    await rawCall(proxy.url, { body });
    const refused = body.replace('"model":"m"', '"model":"m","stream_options":{"include_usage":false,"x":1}');
    await rawCall(proxy.url, { body: refused });
    await upstream.stop();
    const sent = upstream.requests.map(({ bytes }) => bytes.toString());
    expect(sent[0]?.replace('"stream_options":{"include_usage":true},', '')).toBe(body);
    expect(sent[1]).toBe(refused.replace('"include_usage":false,"x":1', '"include_usage":true,"x":1'));
  });

  it('leaves it to the client that asked for it itself, and its bytes alone', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { includeUsage: true });
    const answer = await rawCall(proxy.url, shown);
    await upstream.stop();
    expect(upstream.requests[0]?.bytes.toString()).toBe(shown.body);
    expect(usageIn(answer.text)).toBe(1);
  });

  it('asks for none where there is none to ask for', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { includeUsage: true });
    const others = [
      callOf({ dialect: 'chat', isStreamed: false }),
      callOf({ dialect: 'messages', isStreamed: true }),
      callOf({ dialect: 'responses', isStreamed: true }),
    ];
    for (const other of others) await rawCall(proxy.url, other);
    await upstream.stop();
    expect(upstream.requests.map(({ bytes }) => bytes.toString())).toEqual(others.map(({ body }) => body));
  });

  it('asks for it in what continues an answer, too', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, includeUsage: true });
    const messages = longTalk(8, 'Answer with 2400 tokens.');
    const asked = callOf({ dialect: 'chat', isStreamed: true, messages, more: { max_tokens: 6_000 } });
    const answer = await rawCall(proxy.url, asked);
    await upstream.stop();
    expect(upstream.requests.length).toBeGreaterThan(1);
    for (const { json } of upstream.requests)
      expect(json).toMatchObject({ stream_options: { include_usage: true } });
    expect(usageIn(answer.text)).toBe(0);
    expect(answer.text).toContain('[DONE]');
  });

  it('keeps what a server tells beside it, as llama.cpp its timings, where it would have stood', async () => {
    const timings = { prompt_n: 5, predicted_n: 1 };
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const chunk = (rest: object): string => `data: ${JSON.stringify({ id: 'a', created: 1, ...rest })}\n\n`;
    const said = chunk({ choices: [{ index: 0, finish_reason: null, delta: { content: 'x' } }] });
    const stop = { choices: [{ finish_reason: 'stop', index: 0, delta: {} }] };
    const unasked = [said, chunk({ ...stop, timings }), 'data: [DONE]\n\n'].join('');
    const asked = [said, chunk(stop), chunk({ choices: [], usage, timings }), 'data: [DONE]\n\n'].join('');
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      request.resume().on('end', () => response.end(asked));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using proxy = await startProxy(url, { includeUsage: true });
    const hidden = await rawCall(proxy.url, question);
    const seen = await rawCall(proxy.url, shown);
    server.close();
    expect(hidden.text).toBe(unasked);
    expect(seen.text).toBe(asked);
  });

  it('learns from it how the upstream counts', async () => {
    // Twice as many tokens as anybody would estimate.
    const counted = 600;
    const usage = { prompt_tokens: counted, completion_tokens: 1, total_tokens: counted + 1 };
    const answer = (response: ServerResponse, asks: boolean): void => {
      const events = [
        { id: 'a', choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] },
        { id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        ...(asks ? [{ id: 'a', choices: [], usage }] : []),
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end('data: [DONE]\n\n');
    };
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => answer(response, body.includes('include_usage')));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const told: number[] = [];
    for (const includeUsage of [false, true]) {
      await using proxy = await startProxy(url, { includeUsage, windowTokens: 100_000 });
      const messages = longTalk(2);
      await rawCall(proxy.url, callOf({ dialect: 'chat', isStreamed: true, messages }));
      const more = [
        ...messages,
        { role: 'assistant' as const, text: 'x' },
        { role: 'user' as const, text: 'and?' },
      ];
      const next = await rawCall(proxy.url, callOf({ dialect: 'chat', isStreamed: true, messages: more }));
      told.push(Number(next.headers['x-context-tokens-before']));
    }
    server.close();
    const [without = 0, taught = 0] = told;
    expect(Math.abs(taught - counted)).toBeLessThan(60);
    expect(without).not.toBe(taught);
  });
});
