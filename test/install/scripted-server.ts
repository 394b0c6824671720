import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that speaks OpenAI and Anthropic, asks once for a file where there is a tool `read`, and then answers. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly paths: readonly string[];
}

interface Body {
  readonly stream?: boolean;
  readonly messages?: readonly unknown[];
  readonly input?: string | readonly unknown[];
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

const said = 'It checks the wrong account.';
const file = JSON.stringify({ path: 'src/login.ts' });

/** Whether the model reads first: there is a tool for it, and nothing has been read yet. */
function reads({ tools = [], messages, input }: Body): boolean {
  const hasTool = tools.some((tool) => (tool.name ?? tool.function?.name) === 'read');
  return hasTool && !/tool_result|"role":"tool"|function_call_output/.test(JSON.stringify(messages ?? input));
}

const answers: Readonly<Record<string, (body: Body) => unknown>> = {
  '/v1/chat/completions': (body) => {
    const message = reads(body)
      ? {
          content: null,
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: file } },
          ],
        }
      : { content: said };
    const finish_reason = reads(body) ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const shared = { id: 'chat_1', created: 1, model: 'scripted', usage };
    return body.stream === true
      ? {
          ...shared,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { role: 'assistant', ...message }, finish_reason }],
        }
      : {
          ...shared,
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
        };
  },
  '/v1/responses': (body) => {
    const output = reads(body)
      ? {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: 'read',
          arguments: file,
          status: 'completed',
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: said, annotations: [] }],
        };
    const usage = {
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'scripted',
      status: 'completed',
      output: [output],
      usage,
    };
  },
  '/v1/messages': () => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [{ type: 'text', text: said }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  }),
};

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = Buffer.concat(await request.toArray()).toString('utf8');
  const answer = answers[request.url ?? ''];
  if (!answer) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'not found' } }));
    return;
  }
  const body = JSON.parse(text) as Body;
  const isStream = body.stream === true;
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  const json = JSON.stringify(answer(body));
  response.end(isStream ? `data: ${json}\n\ndata: [DONE]\n\n` : json);
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    void reply(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
