import { ask, openAgent } from './agent-bench.ts';
import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Codec } from '@throughline/core';
import type { DriverLimits } from '@throughline/ports';
import type { BenchOptions, Script } from './agent-bench.ts';

async function roomsOf(
  script: Script,
  codec: Codec,
  limits?: DriverLimits,
  options: BenchOptions = {},
): Promise<readonly (number | undefined)[]> {
  const scripted = scriptedModelDriver(script, codec);
  const driver = { ...scripted, ...(limits && { limits }) };
  const { agent } = await openAgent([], { ...options, driver });
  await ask(await agent.create(), 'Go');
  return scripted.requests.map(({ maxOutputTokens }) => maxOutputTokens);
}

/** Of a request that says next to nothing. */
async function promptTokensOf(limits: DriverLimits, options: BenchOptions): Promise<number> {
  const driver = { ...scriptedModelDriver([], anthropicCodec), limits };
  const { agent } = await openAgent([], { ...options, driver });
  return (await (await agent.create()).context()).currentTokens;
}

const done = [{ text: 'Done' }];
const tooMuch = { kind: 'overflow', message: 'too large', recoverable: true, limitTokens: 9_000 } as const;

describe('the room for an answer', () => {
  it('is left to the provider that decides it, while the window has more', async () => {
    const limits = { windowTokens: 16_000, maxOutputTokens: 2_000 };
    expect(await roomsOf(done, openaiChatCodec, limits)).toEqual([undefined]);
  });

  it('is what the model is known to answer with where the provider wants a number', async () => {
    const limits = { windowTokens: 16_000, maxOutputTokens: 2_000 };
    expect(await roomsOf(done, anthropicCodec, limits)).toEqual([2_000]);
  });

  it('is left to the provider where nobody knows what the model can answer with', async () => {
    const instructions = 'word '.repeat(10_500);
    expect(await roomsOf(done, openaiChatCodec, { windowTokens: 16_000 }, { instructions })).toEqual([
      undefined,
    ]);
  });

  it('is what the window has left behind the prompt and a fifth of it', async () => {
    const limits = { windowTokens: 16_000, maxOutputTokens: 16_000 };
    const prompt = { instructions: 'word '.repeat(4_000) };
    const [room = 0] = await roomsOf(done, anthropicCodec, limits, prompt);
    const promptTokens = await promptTokensOf(limits, prompt);
    expect(promptTokens).toBeGreaterThan(3_000);
    expect(room / (16_000 - 1.2 * promptTokens)).toBeCloseTo(1, 2);
  });

  it('is never less than a few words', async () => {
    const limits = { windowTokens: 8_000, maxOutputTokens: 8_000 };
    const prompt = {
      instructions: 'word '.repeat(6_500),
      context: { budget: { outputReserveTokens: 0, safetyTokens: 0 } },
    };
    expect(8_000 - 1.2 * (await promptTokensOf(limits, prompt))).toBeLessThan(256);
    expect(await roomsOf(done, anthropicCodec, limits, prompt)).toEqual([256]);
  });

  it('is never more than the window that an error has named', async () => {
    const limits = { windowTokens: 200_000, maxOutputTokens: 64_000 };
    const [first, second = 0] = await roomsOf([{ failure: tooMuch }, ...done], anthropicCodec, limits);
    expect(first).toBe(64_000);
    expect(second).toBeGreaterThan(8_000);
    expect(second).toBeLessThan(9_000);
  });
});
