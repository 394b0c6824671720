import { call, openAgent } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { z } from 'zod';
import type { AgentBench, BenchOptions, Script } from './agent-bench.ts';

/** Says much, and something else for each number. */
export const long = defineTool({
  name: 'long',
  description: 'Says much',
  input: z.object({ number: z.number() }),
  reads: () => [],
  execute: ({ number }) =>
    Array.from(
      { length: 60 },
      (_, line) => `${number}.${line} The quick brown fox jumps over item ${number * 61 + line}.`,
    ).join('\n'),
});

/** A turn that calls `long` so many times and then says so. */
export function longTurn(first: number, count: number): Script {
  const steps = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return { text: `Step ${number}.`, calls: [call(`c${number}`, 'long', { number })] };
  });
  return [...steps, { text: `Done with ${first + count - 1}.` }];
}

/** An agent whose window is full after a few calls of `long`. */
export function openNarrow(script: Script, options: BenchOptions = {}): Promise<AgentBench> {
  return openAgent(script, {
    tools: [long],
    ...options,
    context: { windowTokens: 8_000, ...options.context },
  });
}
