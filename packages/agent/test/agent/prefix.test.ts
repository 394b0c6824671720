import {
  aiSdkCodec,
  anthropicCodec,
  createStrategy,
  openaiChatCodec,
  openaiResponsesCodec,
} from '@throughline/core';
import { call, openAgent } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { long } from './long-bench.ts';
import { wordsOf } from './request-words.ts';
import { z } from 'zod';
import type { AgentBench, BenchOptions, Script } from './agent-bench.ts';
import type { StepRequest } from '@throughline/ports';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const camera = defineTool({
  name: 'camera',
  description: 'Takes a picture',
  input: z.object({ of: z.string() }),
  reads: () => [],
  execute: ({ of }) => ({
    content: [
      { type: 'text' as const, text: `A picture of ${of}` },
      { type: 'media' as const, mediaType: 'image/png', source: { type: 'base64' as const, data: png } },
    ],
  }),
});

const picture = { type: 'image', data: png, mediaType: 'image/png', filename: 'dot.png' } as const;
const messages = [
  'Take some pictures',
  [{ type: 'text', text: 'Like this:' }, picture],
  [picture],
  'Thanks',
] as const;
const script: Script = [
  {
    reasoning: 'hm',
    text: 'I do.',
    calls: [call('a', 'camera', { of: 'x' }), call('b', 'camera', { of: 'y' })],
  },
  { calls: [call('a', 'camera', { of: 'x' })] },
  { text: 'Two of x.' },
  { calls: [call('d', 'nonsense', {}), call('e', 'camera', '{"of":')] },
  { text: 'No more.' },
  { text: ' \n' },
  { text: 'You are welcome.' },
];

/** Each request begins with the one before. */
function expectPrefixes(requests: readonly StepRequest[]): void {
  const all = requests.map(({ messages: sent }) => sent.map(wordsOf));
  for (const [index, former] of all.entries()) {
    const next = all[index + 1];
    if (next) expect(next.slice(0, former.length)).toEqual(former);
  }
}

const codecs = [openaiChatCodec, openaiResponsesCodec, anthropicCodec, aiSdkCodec];

describe.each(codecs)('requests of $name', (codec) => {
  const options = {
    codec,
    tools: [camera, long],
    in: 'file',
    instructions: 'Be brief.',
  } satisfies BenchOptions;

  it('begin with the one before, with images from users and tools', async () => {
    const { agent, driver } = await openAgent(script, options);
    const session = await agent.create();
    for (const content of messages) {
      await session.send(content);
      expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
    }
    expect(driver.requests).toHaveLength(script.length);
    expectPrefixes(driver.requests);
    for (const { system, tools } of driver.requests) {
      expect(wordsOf(system)).toEqual(wordsOf(driver.requests[0]?.system));
      expect(tools).toEqual(driver.requests[0]?.tools);
    }
  });

  it('begin with the one before in a new process, too', async () => {
    let bench: AgentBench = await openAgent(script.slice(0, 3), options);
    const { id } = await bench.agent.create();
    const requests: StepRequest[] = [];
    const scripts = [script.slice(0, 3), script.slice(3, 5), script.slice(5, 6), script.slice(6)];
    for (const [index, content] of messages.entries()) {
      if (index > 0) bench = await bench.another({ script: scripts[index] ?? [] });
      const session = await bench.agent.open(id);
      await session.send(content);
      expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
      requests.push(...bench.driver.requests);
      await bench.agent[Symbol.asyncDispose]();
    }
    expect(requests).toHaveLength(script.length);
    expectPrefixes(requests);
  });

  it('begin with the one before between two compactions', async () => {
    const steps = Array.from({ length: 40 }, (_, number) => ({
      calls: [call(`c${number}`, 'long', { number })],
    }));
    const { agent, driver } = await openAgent([...steps, { text: 'Done.' }], {
      ...options,
      context: { windowTokens: 10_000, strategy: createStrategy('reactive-overflow') },
    });
    const session = await agent.create();
    const compactedBefore = new Set<number>();
    session.subscribe(({ type }) => {
      const changes = ['context:compressed', 'context:pruned', 'context:overflow'];
      if (changes.includes(type)) compactedBefore.add(driver.requests.length);
    });
    await session.send('Read all of it');
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect(compactedBefore.size).toBeGreaterThan(1);
    expect(compactedBefore.size).toBeLessThan(20);
    for (const [index, request] of driver.requests.entries()) {
      const former = driver.requests[index - 1];
      if (former && !compactedBefore.has(index)) expectPrefixes([former, request]);
    }
  });
});
