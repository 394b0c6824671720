import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answerByQuestion, countText, numberedWords } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openUpstream, speakers, waysToSpeak } from './open-upstream.ts';

const answerTo = (question: string): string =>
  answerByQuestion({ dialect: 'chat', model: 'm', messages: [], question, toolNames: [] }).text ?? '';

describe.each(waysToSpeak)('the upstream, asked through the vendor’s client for %s, %s', (name, way) => {
  const { say } = speakers[name];

  it('answers by the question, and says what both weigh', async () => {
    const opened = await openUpstream();
    const said = await say(opened, 'How are you?', way);
    expect(said.text).toBe(answerTo('How are you?'));
    expect(said.input).toBe(3 + 4 + countText('How are you?'));
    expect(said.output).toBe(countText(said.text));
    expect(opened.upstream.faults).toEqual([]);
    expect(opened.upstream.requests[0]).toMatchObject({ dialect: name, status: 200, wasAborted: false });
  });

  it('thinks, speaks and calls as its script says', async () => {
    const calls = [
      { name: 'read', input: { path: 'a.txt', lines: [1, 2] } },
      { name: 'write', input: { text: 'ä “quoted” 𝄞' } },
    ];
    const opened = await openUpstream({
      answer: () => ({ reasoning: 'let me see', text: 'I shall look.', calls }),
    });
    const said = await say(opened, 'Do it', way);
    expect(said).toMatchObject({ reasoning: 'let me see', text: 'I shall look.' });
    expect(said.calls.map(({ name: called, input }) => ({ name: called, input }))).toEqual(calls);
    expect(new Set(said.calls.map(({ id }) => id)).size).toBe(2);
    expect(said.finish).toBe({ chat: 'tool_calls', messages: 'tool_use', responses: 'completed' }[name]);
  });

  it('gives as many tokens of words as it is asked for', async () => {
    const said = await say(await openUpstream(), 'Please answer with 250 tokens', way);
    expect(said).toMatchObject({ text: numberedWords(250), output: 250 });
  });

  it('fills its window and stops there', async () => {
    const opened = await openUpstream({ windowTokens: 120 });
    const said = await say(opened, 'Please answer with 250 tokens', way);
    expect(said.input + said.output).toBe(120);
    expect(numberedWords(250).startsWith(said.text)).toBe(true);
    expect(said.finish).toBe(
      { chat: 'length', messages: 'model_context_window_exceeded', responses: 'max_output_tokens' }[name],
    );
  });

  it('refuses a prompt as long as its window, and takes one that is a token shorter', async () => {
    const prompt = 'a question of some length';
    const tokens = 7 + countText(prompt);
    const narrow = await openUpstream({ windowTokens: tokens });
    await expect(say(narrow, prompt, way)).rejects.toMatchObject({ status: 400 });
    expect(narrow.upstream.faults).toEqual([]);
    expect(narrow.upstream.requests[0]).toMatchObject({ promptTokens: tokens, status: 400 });
    narrow.upstream.setWindow(tokens + 1);
    await expect(say(narrow, prompt, way)).resolves.toMatchObject({ input: tokens, output: 1 });
  });
});

describe('a request', () => {
  it('is kept as it came, also when it was compressed', async () => {
    const { upstream } = await openUpstream();
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'hello' }));
    const encodings = {
      zstd: zstdCompressSync,
      gzip: gzipSync,
      br: brotliCompressSync,
      deflate: deflateSync,
    };
    for (const [encoding, compress] of Object.entries(encodings)) {
      const answer = await fetch(`${upstream.url}/v1/responses?a=b`, {
        method: 'POST',
        headers: { 'content-encoding': encoding, 'x-of-mine': encoding },
        body: compress(body),
      });
      expect(answer.status).toBe(200);
      const request = await upstream.request(upstream.requests.length - 1);
      expect(request).toMatchObject({ path: '/v1/responses?a=b', json: { input: 'hello' } });
      expect(request.bytes).toEqual(compress(body));
      expect(request.headers['x-of-mine']).toBe(encoding);
    }
  });
});

describe('a continuation', () => {
  const whole = numberedWords(60);
  const question = { role: 'user', content: 'Please answer with 60 tokens' };
  const begun = (length: number): object => ({ role: 'assistant', content: whole.slice(0, length) });
  const goOn = { role: 'user', content: 'Go on exactly where you stopped.' };
  const rows: readonly [string, readonly object[], number][] = [
    ['of a prefill', [question, begun(50)], 50],
    ['after an instruction to go on', [question, begun(50), goOn], 50],
    [
      'after two instructions to go on',
      [question, begun(50), goOn, { role: 'assistant', content: whole.slice(50, 90) }, goOn],
      90,
    ],
    [
      'behind a longer history',
      [question, { role: 'assistant', content: whole }, question, begun(31), goOn],
      31,
    ],
  ];
  it.each(rows)('%s is answered with exactly the rest, in every API', async (_, messages, length) => {
    const { post } = await openUpstream();
    for (const [path, body, text] of [
      ['/v1/chat/completions', { messages }, chatText],
      ['/v1/messages', { messages, max_tokens: 1000 }, messageText],
      ['/v1/responses', { input: messages }, responseText],
    ] as const) {
      const answer = await post(path, { model: 'm', ...body });
      expect(text((await answer.json()) as never), path).toBe(whole.slice(length));
    }
  });

  it('of an answer that was whole is a question of its own', async () => {
    const { post } = await openUpstream();
    const messages = [question, { role: 'assistant', content: whole }, goOn];
    const answer = await post('/v1/chat/completions', { model: 'm', messages });
    expect(chatText((await answer.json()) as never)).toBe(answerTo(goOn.content));
  });

  it('carries the calls behind the text, and not the reasoning in front of it', async () => {
    const calls = [{ name: 'f', input: {} }];
    const { post, upstream } = await openUpstream({
      answer: () => ({ reasoning: 'hm', text: 'one two three', calls }),
    });
    const messages = [question, { role: 'assistant', content: 'one' }, goOn];
    await post('/v1/chat/completions', { model: 'm', messages });
    expect(upstream.requests[0]?.answer).toMatchObject({
      reasoning: '',
      text: ' two three',
      finish: 'calls',
    });
    expect(upstream.requests[0]?.answer?.calls).toHaveLength(1);
  });
});

function chatText(body: { choices: { message: { content: string } }[] }): string | undefined {
  return body.choices[0]?.message.content;
}

function messageText(body: { content: { text: string }[] }): string | undefined {
  return body.content[0]?.text;
}

function responseText(body: { output: { content: { text: string }[] }[] }): string | undefined {
  return body.output[0]?.content[0]?.text;
}

describe('beside answers', () => {
  it('a count is what the answer to the same request says', async () => {
    const opened = await openUpstream();
    const messages = [{ role: 'user' as const, content: 'count this' }];
    const counted = await opened.anthropic.messages.countTokens({ model: 'm', messages, system: 'be brief' });
    const said = await opened.anthropic.messages.create({
      model: 'm',
      messages,
      system: 'be brief',
      max_tokens: 9,
    });
    expect(said.usage.input_tokens).toBe(counted.input_tokens);
    const items = await opened.openai.responses.inputTokens.count({ model: 'm', input: 'count this' });
    expect(items.input_tokens).toBe(7 + countText('count this'));
    expect(opened.upstream.faults).toEqual([]);
  });

  it('counts are not found where there are none', async () => {
    const { anthropic } = await openUpstream({ canCount: false });
    const body = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] };
    await expect(anthropic.messages.countTokens(body)).rejects.toMatchObject({ status: 404 });
  });

  it('both clients list the models, each with what its server says of them', async () => {
    const { openai, anthropic } = await openUpstream({
      windowTokens: { small: 500, large: 900 },
      server: 'vllm',
    });
    expect((await openai.models.list()).data).toMatchObject([
      { id: 'small', max_model_len: 500 },
      { id: 'large', max_model_len: 900 },
    ]);
    expect(await anthropic.models.retrieve('large')).toMatchObject({ max_input_tokens: 900 });
    await expect(
      openai.chat.completions.create({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('says hello, has the properties of llama.cpp, and finds no doubled prefix', async () => {
    const { upstream, post } = await openUpstream({ windowTokens: 4096, server: 'llama.cpp' });
    expect((await fetch(`${upstream.url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
    expect(await (await fetch(`${upstream.url}/props`)).json()).toMatchObject({
      default_generation_settings: { n_ctx: 4096 },
    });
    expect((await post('/v1/v1/messages', {})).status).toBe(404);
    expect((await post('/v1/messages?beta=true', {})).status).toBe(400);
    expect(upstream.requests.map(({ kind }) => kind)).toEqual(['other', 'other', 'other', 'answer']);
  });
});
