import { createOpenaiChatDriver, createSummariser } from '@throughline/drivers';
import { describe, expect, it } from 'vitest';
import { reply, startServer, stream } from './fake-server.ts';
import type { Answer, ModelRequest } from '@throughline/core';
import type { Reply } from './fake-server.ts';
import type { SummariserOptions } from '@throughline/drivers';

const request: ModelRequest = {
  purpose: 'summary',
  system: 'Summarise.',
  messages: [{ role: 'user', content: 'history' }],
  maxOutputTokens: 800,
  temperature: 0.3,
};

function streamed(delta: object, finish = 'stop', usage?: object): Reply {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return stream(`data: ${JSON.stringify({ choices, usage })}\n\n`, 'data: [DONE]\n\n');
}

interface Asked {
  readonly answer: Answer;
  readonly bodies: readonly Record<string, unknown>[];
}

/** One question to a server that gives these replies in turn. */
async function ask(
  replies: readonly Reply[],
  asked: Partial<ModelRequest> = {},
  options: SummariserOptions = {},
): Promise<Asked> {
  await using server = await startServer(...replies);
  const driver = createOpenaiChatDriver({ model: 'm', baseUrl: `${server.url}/v1` });
  const answer = await createSummariser(driver, options).complete({ ...request, ...asked }, {});
  return { answer, bodies: server.requests.map(({ body }) => body) };
}

describe('a summary over Chat Completions', () => {
  it('is asked for with room to think, and says what it used', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const { answer, bodies } = await ask([streamed({ content: 'Done.' }, 'stop', usage)]);
    expect(answer).toEqual({
      type: 'text',
      text: 'Done.',
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(bodies[0]).toMatchObject({
      model: 'm',
      temperature: 0.3,
      max_tokens: 4_800,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  it('is asked for behind the messages of the session, with its tools, and says what was cached', async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 850 } };
    const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
    const cachedPrefix = [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Mend it.' },
    ];
    const { answer, bodies } = await ask(
      [streamed({ content: 'Done.' }, 'stop', usage)],
      { system: '', cachedPrefix },
      { session: { tools } },
    );
    expect(answer).toMatchObject({ usage: { inputTokens: 900, outputTokens: 5, cachedTokens: 850 } });
    expect(bodies[0]).toMatchObject({
      messages: [...cachedPrefix, ...request.messages],
      tools: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
      tool_choice: 'none',
    });
    expect(bodies[0]?.['messages']).toHaveLength(3);
  });

  it('tells cut answers, calls and refusals from finished ones', async () => {
    const call = { index: 0, id: 'a', function: { name: 'read', arguments: '{}' } };
    const answers = await Promise.all(
      [
        streamed({ content: 'half' }, 'length'),
        streamed({ tool_calls: [call] }, 'tool_calls'),
        streamed({ content: '' }, 'content_filter'),
        streamed({ refusal: 'No.' }),
      ].map(async (given) => (await ask([given])).answer),
    );
    expect(answers).toMatchObject([
      { finish: 'length' },
      { finish: 'tool-calls' },
      { finish: 'refusal' },
      { finish: 'refusal' },
    ]);
  });

  it('has no text where only thoughts came, or nothing', async () => {
    const thoughts = await ask([streamed({ reasoning_content: 'Hm.' })]);
    expect(thoughts.answer).toMatchObject({ type: 'text', text: '', finish: 'stop' });
    const nothing = await ask([streamed({})]);
    expect(nothing.answer).toMatchObject({ type: 'text', text: '', finish: 'stop' });
  });

  it('tells an overflow with its window', async () => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens";
    const { answer, bodies } = await ask([1, 2].map(() => reply(400, { error: { message } })));
    expect(answer).toMatchObject({ type: 'failed', cause: 'overflow', limitTokens: 4_096 });
    // Less room to think may be what was missing.
    expect(bodies.map(({ max_tokens: most }) => most)).toEqual([4_800, 1_824]);
  });

  it('is unavailable where the server says no, fails, or breaks off', async () => {
    const { frames } = streamed({ content: 'The first' });
    const answers = await Promise.all(
      [
        reply(401, { error: { message: 'Incorrect API key' } }),
        reply(500, { error: { message: 'boom' } }),
        stream(String(frames[0]).replace('"stop"', 'null')),
      ].map(async (given) => (await ask([given])).answer),
    );
    for (const answer of answers) expect(answer).toMatchObject({ type: 'failed', cause: 'unavailable' });
    expect(answers[0]).toMatchObject({ message: '401 Incorrect API key' });
  });

  it('ends as cancelled when the signal is aborted', async () => {
    const driver = createOpenaiChatDriver({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1' });
    const options = { signal: AbortSignal.abort() };
    const answer = await createSummariser(driver).complete(request, options);
    expect(answer).toMatchObject({ type: 'failed', cause: 'cancelled' });
  });
});
