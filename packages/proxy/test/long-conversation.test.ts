import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createStrictUpstream, isDeepRun } from '@throughline/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateText, streamText } from 'ai';
import Anthropic from '@anthropic-ai/sdk';
import EarlierOpenAI from 'openai-6';
import OpenAI from 'openai';
import { startProxy } from './start-proxy.ts';
import type { LanguageModel, ModelMessage } from 'ai';

const windowTokens = 3_000;
const filler =
  'The account of the customer was moved to the other ledger because the first one was closed. '.repeat(18);
const turns = isDeepRun ? 70 : 35;

const question = (turn: number): string => `Question ${turn}: why was it moved? ${filler}`;

/** What the upstream would answer with any window. */
async function directly(talk: Talk): Promise<readonly string[]> {
  const upstream = await createStrictUpstream({});
  try {
    return await talk(upstream.url, false);
  } finally {
    await upstream.stop();
  }
}

type Talk = (base: string, isStreamed: boolean) => Promise<readonly string[]>;

/** Two majors of a client that many have pinned: what the tests ask of them has the same names in both. */
function chatTalk(Client: typeof OpenAI): Talk {
  return async (base, isStreamed) => {
    const client = new Client({ baseURL: `${base}/v1`, apiKey: 'k', maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }];
    const answers: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      messages.push({ role: 'user', content: question(turn) });
      const request = { model: 'm', messages, max_completion_tokens: 500 };
      const completion = isStreamed
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      const text = completion.choices[0]?.message.content ?? '';
      answers.push(text);
      messages.push({ role: 'assistant', content: text });
    }
    return answers;
  };
}

/** The AI SDK over a provider of its own. */
function aiTalk(modelAt: (base: string) => LanguageModel): Talk {
  return async (base, isStreamed) => {
    const model = modelAt(base);
    const messages: ModelMessage[] = [];
    const answers: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      messages.push({ role: 'user', content: question(turn) });
      const request = { model, messages, maxOutputTokens: 500, maxRetries: 0 };
      const text = isStreamed ? await streamText(request).text : (await generateText(request)).text;
      answers.push(text);
      messages.push({ role: 'assistant', content: text });
    }
    return answers;
  };
}

const talks: Readonly<Record<string, Talk>> = {
  'chat completions': chatTalk(OpenAI),
  'chat completions of the major before': chatTalk(EarlierOpenAI as unknown as typeof OpenAI),
  '@ai-sdk/openai-compatible': aiTalk((base) =>
    createOpenAICompatible({ name: 'it', baseURL: `${base}/v1`, apiKey: 'k' })('m'),
  ),
  '@ai-sdk/anthropic': aiTalk((base) => createAnthropic({ baseURL: `${base}/v1`, apiKey: 'k' })('m')),
  responses: async (base, isStreamed) => {
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'k', maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    const answers: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      input.push({ role: 'user', content: question(turn) });
      const request = { model: 'm', input, instructions: 'Be brief.', max_output_tokens: 500, store: false };
      const response = isStreamed
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      answers.push(response.output_text);
      input.push({ role: 'assistant', content: response.output_text });
    }
    return answers;
  },
  messages: async (base, isStreamed) => {
    const client = new Anthropic({ baseURL: base, apiKey: 'k', maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    const answers: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      messages.push({ role: 'user', content: question(turn) });
      const request = { model: 'm', messages, system: 'Be brief.', max_tokens: 500 };
      const message = isStreamed
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      answers.push(text);
      messages.push({ role: 'assistant', content: text });
    }
    return answers;
  },
};

describe.each(Object.entries(talks))('a conversation of many windows over %s', (_name, talk) => {
  let expected: readonly string[];
  beforeAll(async () => {
    expected = await directly(talk);
  });

  it.each([true, false])('is answered as if there were no window (streamed: %s)', async (isStreamed) => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const answers = await talk(proxy.url, isStreamed);
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests.every(({ status }) => status === 200)).toBe(true);
    expect(answers).toEqual(expected);
    expect(proxy.lines.filter((line) => line.includes('Pre-request compaction')).length).toBeGreaterThan(3);
  });
});
