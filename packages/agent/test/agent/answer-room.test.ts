import { ask, openAgent } from './agent-bench.ts';
import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Codec } from '@throughline/core';
import type { DriverLimits } from '@throughline/ports';
import type { Script } from './agent-bench.ts';

async function roomsOf(
  script: Script,
  codec: Codec,
  limits?: DriverLimits,
): Promise<readonly (number | undefined)[]> {
  const scripted = scriptedModelDriver(script, codec);
  const driver = { ...scripted, ...(limits && { limits }) };
  const { agent } = await openAgent([], { driver });
  await ask(await agent.create(), 'Go');
  return scripted.requests.map(({ maxOutputTokens }) => maxOutputTokens);
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

  it('is never more than the window that an error has named', async () => {
    const limits = { windowTokens: 200_000, maxOutputTokens: 64_000 };
    const [first, second = 0] = await roomsOf([{ failure: tooMuch }, ...done], anthropicCodec, limits);
    expect(first).toBe(64_000);
    expect(second).toBeGreaterThan(8_000);
    expect(second).toBeLessThan(9_000);
  });
});
