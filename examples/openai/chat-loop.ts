/**
 * A loop over the OpenAI SDK that never outgrows its window, and that goes on smaller where the server's window turns out
 * to be smaller than was believed. The server is a stand-in, so that the example runs without a key.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import OpenAI from 'openai';
import { createStrategy, emptyState } from '@throughline/core';
import { chatRecallTool, fitChat } from '@throughline/adapters/openai';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const realWindowTokens = 12_000;
const server = readingServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });

const policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 32_000 },
  hasRecall: true,
};
const readTool = { type: 'function' as const, function: { name: 'read', parameters: { type: 'object' } } };
const tools = [readTool, chatRecallTool];
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'Find out why login fails.' },
];
let state = emptyState(); // plain JSON: store it with the messages

for (let step = 0; step < 120; step += 1) {
  let fitted = await fitChat(messages, state, { policy, tools });
  const send = () => client.chat.completions.create({ model: 'gpt-test', messages: fitted.messages, tools });
  const reply = await send().catch(async (error: unknown) => {
    if (!(error instanceof OpenAI.APIError) || error.code !== 'context_length_exceeded') throw error;
    const limit = /maximum context length is (\d+)/.exec(error.message)?.[1];
    fitted = await fitted.smaller(Number(limit));
    console.log(`refused, so smaller: ${fitted.step.report.tokens.final} tokens`);
    return send();
  });
  state = fitted.stateAfter(reply.usage);
  const { checkpoint, report } = fitted.step;
  if (checkpoint) console.log(`${checkpoint.id}: ${report.tokens.before} -> ${report.tokens.final} tokens`);
  const message = reply.choices[0]?.message;
  if (!message) break;
  messages.push(message);
  for (const call of message.tool_calls ?? []) {
    messages.push({ role: 'tool', tool_call_id: call.id, content: answer(call, fitted.recall) });
  }
}
console.log(`${messages.length} messages in the history, each as it was said`);
server.close();

function answer(call: OpenAI.ChatCompletionMessageToolCall, recall: (input: unknown) => string): string {
  if (call.type === 'function' && call.function.name === 'recall') return recall(call.function.arguments);
  return 'check(session.account);\n'.repeat(50);
}

function readingServer(): Server {
  let asked = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const prompt_tokens = Math.ceil(body.length / 3.6);
    response.setHeader('content-type', 'application/json');
    if (prompt_tokens > realWindowTokens) {
      const message = `This model's maximum context length is ${realWindowTokens} tokens, not ${prompt_tokens}.`;
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { message, code: 'context_length_exceeded' } }));
      return;
    }
    asked += 1;
    const call = {
      id: `call_${asked}`,
      type: 'function',
      function: { name: 'read', arguments: `{"n":${asked}}` },
    };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    response.end(JSON.stringify({ choices: [{ index: 0, message }], usage: { prompt_tokens } }));
  };
  return createServer((request, response) => void reply(request, response));
}
