import { expect, it } from 'vitest';
import { driverFor, summariserOf } from './driver-for.ts';
import { parseConfig } from '@throughline/config';
import { realComposition } from './real-composition.ts';
import { findModel, pricingOf } from '@throughline/core';
import { scriptedModelDriver } from '@throughline/testkit';
import type { DiscoveredLimits } from '@throughline/drivers';
import type { ModelDriver } from '@throughline/ports';
import type { Composition } from './composition.ts';
import type { SummariserChoice } from '@throughline/agent';

async function driverOf(text: string, told?: Omit<DiscoveredLimits, 'source'>): Promise<ModelDriver> {
  const parsed = parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
  if (parsed.type === 'faults') throw new Error(JSON.stringify(parsed.faults));
  const discovered = told && { ...told, source: 'test' };
  const composition = { ...realComposition, discoverLimitsOf: () => Promise.resolve(discovered) };
  return await driverFor(parsed.config.model, composition);
}

it('carries every limit that the server names', async () => {
  const limits = { windowTokens: 16_000, maxOutputTokens: 1_000, maxInputTokens: 4_000 };
  expect((await driverOf('model: vllm:m', limits)).limits).toEqual(limits);
});

it('carries the limit of the prompt that the catalogue knows, and none where there is none', async () => {
  expect((await driverOf('model: openai:gpt-5')).limits?.maxInputTokens).toBe(272_000);
  expect((await driverOf('model: ollama:nobody-knows')).limits).toEqual({
    windowTokens: 16_000,
    maxOutputTokens: 4_000,
  });
});

it('carries what the server says that the model takes', async () => {
  expect((await driverOf('model: vllm:m', { hasTools: false, hasImages: true })).abilities).toEqual({
    hasTools: false,
    hasImages: true,
  });
  expect((await driverOf('model: vllm:m')).abilities).toEqual({});
});

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
