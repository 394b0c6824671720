import { afterAll } from 'vitest';
import { createAgent, defineTool } from '@throughline/agent';
import { createClient } from '@throughline/client';
import { createServer } from '@throughline/server';
import { openMemoryStore } from '@throughline/stores';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';
import type { AgentOptions } from '@throughline/agent';
import type { Client } from '@throughline/client';
import type { Codec } from '@throughline/core';
import type { ScriptedModelDriver } from '@throughline/testkit';

const leftovers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const end of leftovers.splice(0).toReversed()) await end();
});

/** Says much, and something else for each number. */
const long = defineTool({
  name: 'long',
  description: 'Says much',
  input: z.object({ number: z.number() }),
  reads: () => [],
  execute: ({ number }) =>
    Array.from(
      { length: 60 },
      (_, line) => `src/part-${number}.ts:${line} The quick brown fox jumps over item ${number * 61 + line}.`,
    ).join('\n'),
});

/** A turn that calls `long` so many times and then says so. */
export function longTurn(first: number, count: number): Script {
  const steps = Array.from({ length: count }, (_, index): Script[number] => {
    const number = first + index;
    return ({ messages }) => ({
      reasoning: `I want number ${number}.`,
      text: `Step ${number}.`,
      calls: [{ callId: `c${number}`, name: 'long', input: { number } }],
      usage: { inputTokens: Math.round(JSON.stringify(messages).length / 4), outputTokens: 10 },
    });
  });
  return [...steps, { text: `Done with ${first + count - 1}.` }];
}

type Script = Parameters<typeof scriptedModelDriver>[0];

export interface OpenedSession {
  readonly client: Client;
  readonly id: string;
  readonly driver: ScriptedModelDriver;
  readonly say: (content: Parameters<Client['wait']>[0]['content']) => Promise<void>;
}

/** A session of a real server, whose window is full after a few calls; gone at the end of the file. */
export async function openSession(
  script: Script,
  { codec, ...options }: Partial<AgentOptions> & { readonly codec?: Codec } = {},
): Promise<OpenedSession> {
  const driver = scriptedModelDriver(script, codec);
  const store = await openMemoryStore({ clock: systemClock, ids: randomIds });
  const agent = createAgent({
    driver,
    store,
    clock: systemClock,
    timer: systemTimer,
    ids: randomIds,
    tools: [long],
    instructions: 'Be brief.',
    context: { windowTokens: 8_000 },
    ...options,
  });
  leftovers.push(async () => agent[Symbol.asyncDispose]());
  const models = { names: [driver.name], driverNamed: () => Promise.resolve(driver) };
  const server = await createServer({ agent, models, clock: systemClock }, { port: 0 });
  leftovers.push(() => server.stop());
  const client = createClient({ baseUrl: server.address.url });
  const { id } = await client.createSession();
  return {
    client,
    id,
    driver,
    say: async (content) => void (await client.wait({ sessionId: id, content })),
  };
}
