/**
 * A loop over the Responses API that never outgrows its window: the whole input is handed in each time, and what is sent
 * is `fitted.input`. The server is a stand-in, so that the example runs without a key.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import OpenAI from 'openai';
import { createStrategy, emptyState } from '@throughline/core';
import { fitResponses, responsesRecallTool } from '@throughline/adapters/openai';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';

let asked = 0;
const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });

const policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 16_000 },
  hasRecall: true,
};
const tools = [
  { type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false },
  responsesRecallTool,
];
const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Find out why login fails.' }];
let state = emptyState(); // plain JSON: store it with the items

for (let step = 0; step < 60; step += 1) {
  const fitted = await fitResponses(input, state, { policy, tools });
  const reply = await client.responses.create({
    model: 'gpt-test',
    input: fitted.input,
    tools,
    store: false,
  });
  state = fitted.stateAfter(reply.usage);
  input.push(...(reply.output as OpenAI.Responses.ResponseInputItem[]));
  const { checkpoint, report } = fitted.step;
  if (checkpoint) console.log(`${checkpoint.id}: ${report.tokens.before} -> ${report.tokens.final} tokens`);
  for (const item of reply.output) {
    if (item.type !== 'function_call') continue;
    const output =
      item.name === 'recall' ? fitted.recall(item.arguments) : 'check(session.account);\n'.repeat(50);
    input.push({ type: 'function_call_output', call_id: item.call_id, output });
  }
}
console.log(`${input.length} items in the history, each as it was said`);
server.close();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  asked += 1;
  const call = {
    type: 'function_call',
    id: `fc_${asked}`,
    call_id: `call_${asked}`,
    name: 'read',
    arguments: JSON.stringify({ path: `src/${asked}.ts` }),
    status: 'completed',
  };
  const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 20, total_tokens: 0 };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: `resp_${asked}`, object: 'response', output: [call], usage }));
}
