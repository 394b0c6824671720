import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { expect, it } from 'vitest';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { openBench, serve } from '../support/serve.ts';
import type { LanguageModel, ModelMessage } from 'ai';

const apis: readonly (readonly [string, (provider: ReturnType<typeof createOpenAI>) => LanguageModel])[] = [
  ['chat completions', (provider) => provider.chat('throughline')],
  ['responses', (provider) => provider.responses('throughline')],
];

it.each(apis)('the OpenAI provider of the AI SDK over %s talks to one session', async (_, modelOf) => {
  const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
  const bench = await openBench([
    { text: ['Hel', 'lo'], usage },
    { text: 'Again', usage },
  ]);
  const address = await serve(compatibleRoutes(bench.services));
  const model = modelOf(createOpenAI({ baseURL: `${address}/v1`, apiKey: 'none' }));
  const messages: ModelMessage[] = [{ role: 'user', content: 'Hi' }];
  const streamed = streamText({ model, instructions: 'Be brief.', messages });
  let text = '';
  for await (const delta of streamed.textStream) text += delta;
  expect(text).toBe('Hello');
  expect((await streamed.totalUsage).totalTokens).toBe(120);
  messages.push(...(await streamed.responseMessages), { role: 'user', content: 'More' });
  const second = await generateText({ model, instructions: 'Be brief.', messages });
  expect(second.text).toBe('Again');
  expect(second.finishReason).toBe('stop');
  expect((await bench.store.sessions.list()).items.map(({ messageCount }) => messageCount)).toEqual([4]);
});
