import { expect, it } from 'vitest';
import { driverFor } from './driver-for.ts';
import { parseConfig } from '@throughline/config';
import { realComposition } from './real-composition.ts';
import type { DiscoveredLimits } from '@throughline/drivers';
import type { ModelDriver } from '@throughline/ports';

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
