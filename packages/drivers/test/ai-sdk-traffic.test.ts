import { createAiSdkDriver } from '@throughline/drivers';
import { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { readStep } from './read-step.ts';

const request = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [{ name: 'read', description: 'Reads', inputSchema: { type: 'object' } }],
};
const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
type Part = Parameters<typeof simulateReadableStream>[0]['chunks'][number];

function model(...parts: readonly object[]): MockLanguageModelV4 {
  const chunks = parts as Part[];
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) as never,
  });
}

const finish = (unified: string, raw: string = unified) => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage,
});
const said = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Hi' },
  { type: 'text-end', id: '1' },
];

describe('cache marks', () => {
  const marksIn = (prompt: readonly { readonly providerOptions?: object | undefined }[]): readonly number[] =>
    prompt.flatMap(({ providerOptions }, index) =>
      JSON.stringify(providerOptions ?? {}).includes('cacheControl') ? [index] : [],
    );
  const conversation = Array.from({ length: 5 }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${index}` }] },
  ]).flat();

  it.each([
    ['anthropic.messages', [0, 4, 5]],
    ['google.vertex.anthropic.messages', [0, 4, 5]],
    ['openai.chat', []],
  ])('stand in what is sent to %s on the system text and the last two messages', async (provider, marks) => {
    const languageModel = new MockLanguageModelV4({
      provider,
      doStream: async () =>
        ({ stream: simulateReadableStream({ chunks: [...said, finish('stop')] as Part[] }) }) as never,
    });
    const driver = createAiSdkDriver({ languageModel });
    for (const length of [5, 7]) {
      const messages = conversation.slice(0, length);
      const before = JSON.stringify(messages);
      const { last } = await readStep(driver, { system: 'Be brief.', messages });
      expect(JSON.stringify(messages)).toBe(before);
      expect(JSON.stringify(last)).not.toContain('cacheControl');
      const { prompt } = languageModel.doStreamCalls.at(-1) ?? { prompt: [] };
      // They move along with the newest message.
      expect(marksIn(prompt)).toEqual(marks.map((at) => (at === 0 ? 0 : at + length - 5)));
    }
  });

  it('are never more than four with those that are there', async () => {
    const languageModel = new MockLanguageModelV4({
      provider: 'anthropic.messages',
      doStream: async () =>
        ({ stream: simulateReadableStream({ chunks: [...said, finish('stop')] as Part[] }) }) as never,
    });
    const own = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const messages = conversation
      .slice(0, 7)
      .map((one, at) => (at < 3 ? { ...one, providerOptions: own } : one));
    await readStep(createAiSdkDriver({ languageModel }), { system: 'Be brief.', messages });
    expect(marksIn(languageModel.doStreamCalls[0]?.prompt ?? [])).toEqual([1, 2, 3, 7]);
  });
});

describe('parts of the AI SDK', () => {
  it('takes models of the interface before', async () => {
    const languageModel = new MockLanguageModelV3({
      doStream: async () =>
        ({ stream: simulateReadableStream({ chunks: [...said, finish('stop')] as Part[] }) }) as never,
    });
    const { text, last } = await readStep(createAiSdkDriver({ languageModel }), request);
    expect(text).toBe('Hi');
    expect(last).toMatchObject({ type: 'end', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } });
  });

  it('tells tools that the provider runs, files and sources', async () => {
    const call = { toolCallId: 'srv_1', toolName: 'search', providerExecuted: true };
    const languageModel = model(
      { type: 'tool-call', ...call, input: '{"q":"a"}', dynamic: true },
      { type: 'tool-result', ...call, result: { found: 1 }, dynamic: true },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example', title: 'A' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      ...said,
      finish('stop'),
    );
    const { events, calls, last } = await readStep(createAiSdkDriver({ languageModel }), request);
    expect(calls).toMatchObject([{ callId: 'srv_1', input: { q: 'a' }, isProviderExecuted: true }]);
    expect(events).toContainEqual({
      type: 'provider-result',
      callId: 'srv_1',
      name: 'search',
      output: { found: 1 },
      isError: false,
    });
    expect(events).toContainEqual({ type: 'source', url: 'https://a.example', title: 'A' });
    expect(events).toContainEqual({ type: 'file', mediaType: 'image/png', base64: 'aGk=' });
    expect(last.messages).toHaveLength(1);
  });

  it('leaves calls of tools that nobody offered to the runtime', async () => {
    const languageModel = model(
      { type: 'tool-call', toolCallId: 'a', toolName: 'unknown', input: '{"x":1}' },
      finish('tool-calls'),
    );
    const { calls, last } = await readStep(createAiSdkDriver({ languageModel }), request);
    expect(calls).toMatchObject([{ name: 'unknown', input: { x: 1 }, isInvalid: false }]);
    expect(last).toMatchObject({ finish: 'tool-calls' });
    expect(last.messages).toHaveLength(1);
    expect(JSON.stringify(last.messages)).toContain('"x":1');
  });

  it.each([
    ['other', 'pause_turn', 'paused'],
    ['other', 'model_context_window_exceeded', 'window-full'],
    ['other', 'strange', 'other'],
  ])('reads %s with the raw reason %s as %s', async (unified, raw, expected) => {
    const languageModel = model(...said, finish(unified, raw));
    const { last } = await readStep(createAiSdkDriver({ languageModel }), request);
    expect(last).toMatchObject({ type: 'end', finish: expected, finishReason: raw });
  });

  it('reads what a model throws before it streams, and prints nothing', async () => {
    const error = Object.assign(new Error('prompt is too long: 3 tokens > 2 maximum'), { statusCode: 400 });
    const languageModel = new MockLanguageModelV4({ doStream: () => Promise.reject(error) });
    const { last } = await readStep(createAiSdkDriver({ languageModel }), request);
    expect(last).toMatchObject({ failure: { kind: 'overflow', limitTokens: 2, status: 400 } });
  });

  it('ends at once when it is cancelled, also where the model does not listen', async () => {
    const stream = new ReadableStream();
    const languageModel = new MockLanguageModelV4({ doStream: async () => ({ stream }) as never });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const { last } = await readStep(createAiSdkDriver({ languageModel }), request, abort.signal);
    expect(last).toMatchObject({ failure: { kind: 'cancelled' } });
  });

  it('takes system messages among the messages, and system text', async () => {
    const languageModel = model(...said, finish('stop'));
    const messages = [{ role: 'system', content: 'Note' }, ...request.messages];
    await readStep(createAiSdkDriver({ languageModel }), { ...request, system: 'An agent', messages });
    const prompt = languageModel.doStreamCalls[0]?.prompt.map(({ role }) => role);
    expect(prompt).toEqual(['system', 'system', 'user']);
  });
});
