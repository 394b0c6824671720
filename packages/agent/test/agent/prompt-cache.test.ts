import { ask, call, look, openAgent } from './agent-bench.ts';
import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { expect, it } from 'vitest';

it.each([
  [anthropicCodec, true],
  [openaiChatCodec, false],
])('marks system text and messages where the provider wants marks: $name', async (codec, isMarked) => {
  const { agent, driver } = await openAgent([{ calls: [call('a')] }, { text: 'ok' }], {
    tools: [look],
    codec,
    instructions: 'Be brief.',
  });
  await ask(await agent.create(), 'Go');
  for (const { system, messages } of driver.requests) {
    expect(JSON.stringify(system).includes('cache_control')).toBe(isMarked);
    const marks = JSON.stringify([system, messages]).split('"cache_control"').length - 1;
    expect(marks > 0).toBe(isMarked);
    expect(marks).toBeLessThanOrEqual(4);
  }
});
