/**
 * A loop over the Anthropic SDK that never outgrows its window. The server is a stand-in that reads file after file, so
 * that the example runs without a key.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import Anthropic from '@anthropic-ai/sdk';
import { createStrategy, emptyState } from '@throughline/core';
import { fitMessages, recallTool } from '@throughline/adapters/anthropic';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const server = readingServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 });

const policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 16_000 },
  hasRecall: true,
};
const readTool = { name: 'read', input_schema: { type: 'object' as const } };
const request = {
  model: 'claude-test',
  max_tokens: 1_000,
  system: 'You are careful.',
  tools: [readTool, recallTool],
};
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Find out why login fails.' }];
let state = emptyState(); // plain JSON: store it with the messages

for (let step = 0; step < 120; step += 1) {
  const fitted = await fitMessages(messages, state, { policy, system: request.system, tools: request.tools });
  const reply = await client.messages.create({ ...request, messages: fitted.messages });
  state = fitted.stateAfter(reply.usage);
  const { checkpoint, report } = fitted.step;
  if (checkpoint) console.log(`${checkpoint.id}: ${report.tokens.before} -> ${report.tokens.final} tokens`);
  messages.push({ role: 'assistant', content: reply.content });
  const calls = reply.content.filter((block) => block.type === 'tool_use');
  messages.push({
    role: 'user',
    content: calls.map(({ id, name, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: name === 'recall' ? fitted.recall(input) : 'check(session.account);\n'.repeat(50),
    })),
  });
}
console.log(`${messages.length} messages in the history, each as it was said`);
server.close();

/** Every tenth time it asks back what was left out. */
function readingServer(): Server {
  let asked = 0;
  const reply = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await incoming.toArray()).toString('utf8');
    asked += 1;
    const id = `toolu_${asked}`;
    const call =
      asked % 10 === 0
        ? { type: 'tool_use', id, name: 'recall', input: { id: 'm2' } }
        : { type: 'tool_use', id, name: 'read', input: { path: `src/auth/step-${asked}.ts` } };
    const usage = { input_tokens: Math.ceil(body.length / 3.6), output_tokens: 20 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'msg', type: 'message', role: 'assistant', content: [call], usage }));
  };
  return createServer((incoming, response) => void reply(incoming, response));
}
