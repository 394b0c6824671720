import { expect, it } from 'vitest';
import { findModel, pricingOf } from '@throughline/core';
import { parseConfig } from '@throughline/config';
import { realComposition } from './real-composition.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { summariserOf } from './summariser-of.ts';
import type { Composition } from './composition.ts';
import type { SummariserChoice } from '@throughline/agent';

async function chosen(text: string, more: Partial<Composition> = {}): Promise<SummariserChoice> {
  const parsed = parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
  if (parsed.type === 'faults') throw new Error(JSON.stringify(parsed.faults));
  const composition = { ...realComposition, discoverLimitsOf: () => Promise.resolve(undefined), ...more };
  return await summariserOf(parsed.config, composition);
}

it('knows what a model of its own costs, so that a summary has its own price and not that of the session', async () => {
  const choice = await chosen('model: openai:gpt-5\nsummarizer: anthropic:claude-haiku-4-5');
  const entry = findModel('claude-haiku-4-5')?.entry;
  expect(choice).toMatchObject({ type: 'model', pricing: entry && pricingOf(entry) });
  expect(entry && pricingOf(entry)).toBeDefined();
});

it('knows no price of a model that is in no catalogue', async () => {
  const choice = await chosen('model: openai:gpt-5\nsummarizer: ollama:nobody-knows');
  expect(choice).toMatchObject({ type: 'model', windowTokens: 16_000 });
  expect('pricing' in choice).toBe(false);
});

it.each([
  ['summarizer: { provider: ollama, name: m, temperature: 0.9 }', 0.9],
  ['summarizer: ollama:m', 0.3],
  ['model: { provider: ollama, name: m, temperature: 0.9 }\nsummarizer: ollama:m', 0.3],
])('sends the temperature that is said of it, else that of the engine: %j', async (text, temperature) => {
  const driver = scriptedModelDriver([{ text: 'Done.' }]);
  const choice = await chosen(text, { createDriverFrom: () => driver });
  if (choice.type !== 'model') throw new Error(choice.type);
  const messages = [{ role: 'user', content: 'What was done?' }] as const;
  const asked = { purpose: 'summary', system: '', messages, maxOutputTokens: 9, temperature: 0.3 } as const;
  await choice.driver.complete(asked, {});
  expect(driver.requests[0]?.temperature).toBe(temperature);
});

it.each([
  ['model: openai:gpt-5', 'same'],
  ['model: demo', 'code'],
  ['model: openai:gpt-5\nsummarizer: demo', 'code'],
])('%j writes by %s', async (text, type) => {
  expect((await chosen(text)).type).toBe(type);
});
