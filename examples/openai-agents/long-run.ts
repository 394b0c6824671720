/**
 * An agent of the OpenAI Agents SDK that never outgrows its window, and whose session keeps every item as it was said.
 * The server is a stand-in that reads file after file, so that the example runs without a key.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Agent, MemorySession, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { createStrategy } from '@throughline/core';
import { openaiAgentsContext } from '@throughline/adapters/openai-agents';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

setTracingDisabled(true);
const server = readingServer(120).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const context = openaiAgentsContext({
  policy: {
    strategy: createStrategy('reactive-overflow'),
    budget: { windowTokens: 16_000 },
    hasRecall: true,
  },
  onStep({ checkpoint, report: { tokens } }) {
    if (checkpoint) console.log(`${checkpoint.id}: ${tokens.before} -> ${tokens.final} tokens`);
  },
});
const read = tool({
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: () => 'export const check = (session) => session.account;\n'.repeat(25),
});
const agent = new Agent({
  name: 'Engineer',
  instructions: 'You are careful.',
  model: context.model(new OpenAIResponsesModel(new OpenAI({ apiKey: 'none', baseURL }), 'gpt-test')),
  tools: [read, tool(context.recallTool)],
});
const session = new MemorySession();
const { finalOutput } = await run(agent, 'Find out why login fails.', { session, maxTurns: 200 });
const items = await session.getItems();
console.log(`${items.length} items in the session; the agent says: ${finalOutput}`);
server.close();

/** Asks for `read` so many times, then answers. */
function readingServer(calls: number): Server {
  let asked = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    asked += 1;
    const call_id = `call_${asked}`;
    const content = [{ type: 'output_text', text: 'it checks the wrong account.', annotations: [] }];
    const output =
      asked > calls
        ? { type: 'message', id: `msg_${asked}`, role: 'assistant', status: 'completed', content }
        : { type: 'function_call', call_id, name: 'read', arguments: '{}', status: 'completed' };
    const input_tokens = Math.ceil(body.length / 3.6);
    const usage = { input_tokens, output_tokens: 20, total_tokens: input_tokens + 20 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: `resp_${asked}`, status: 'completed', output: [output], usage }));
  };
  return createServer((request, response) => void reply(request, response));
}
