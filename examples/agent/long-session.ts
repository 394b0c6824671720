/**
 * An agent that works far longer than its window: 40 steps of real tool calls with room for 16 000 tokens. The model is
 * the built-in demo, so that the example runs without a key; `createOpenaiChatDriver`, `createAnthropicDriver` or
 * `createAiSdkDriver` of `@throughline/drivers` go in the same place.
 */
import { createAgent, defineTool } from '@throughline/agent';
import { createDemoDriver } from '@throughline/drivers';
import { openMemoryStore } from '@throughline/stores';
import { systemTimer } from '@throughline/ports';
import { z } from 'zod';

const grep = defineTool({
  name: 'grep',
  description: 'Lines that hold a text',
  input: z.object({ pattern: z.string() }),
  reads: () => [], // changes nothing: runs beside others, and unasked
  execute: ({ pattern }) =>
    Array.from({ length: 60 }, (_, line) => `src/${pattern}.ts:${line}: a line with ${pattern} in it`).join(
      '\n',
    ),
});

await using store = await openMemoryStore(); // openSqliteStore({ file, blobs }) keeps it on disk
await using agent = createAgent({
  driver: createDemoDriver({ timer: systemTimer, wordDelayMs: 0, windowTokens: 16_000 }),
  store,
  tools: [grep],
  instructions: 'You are a careful engineer.',
});

const session = await agent.create();
session.subscribe(({ type, data }) => {
  if (type !== 'context:compressed') return;
  const { originalTokens, compressedTokens, messagesCompacted } = data;
  console.log(`${messagesCompacted} messages compacted: ${originalTokens} -> ${compressedTokens} tokens`);
});

await session.send('Please work for 40 steps.');
await session.send('And then tell me what you found.'); // it is busy: taken at the next step
console.log(await session.settled());

const { currentTokens, limit } = await session.context();
console.log(`${currentTokens} of ${limit} tokens are in use`);
const [found] = await session.search('src/c.ts:59');
console.log(`still there: ${found?.excerpt}`);
