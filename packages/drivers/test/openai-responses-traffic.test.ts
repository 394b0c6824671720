import { createOpenaiResponsesDriver } from '@throughline/drivers';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { reply, startServer, stream } from './fake-server.ts';
import type { Reply } from './fake-server.ts';
import { readStep } from './read-step.ts';
import type { ReadStep } from './read-step.ts';
import { namedEvent } from './wires/wire.ts';

const user = { type: 'message', role: 'user', content: 'Hello' };
const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const completed = (more: object = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'm', status: 'completed', output: [], ...more },
});

function events(...list: readonly object[]): Reply {
  return stream(...list.map((event) => namedEvent(event as { type: string })));
}

async function read(...answers: readonly Reply[]): Promise<ReadStep> {
  await using server = await startServer(...answers);
  return await readStep(createOpenaiResponsesDriver({ model: 'm', baseUrl: `${server.url}/v1` }), {
    messages: [user],
  });
}

describe('traffic of servers that speak Responses', () => {
  it('tells tools that the provider runs, each as call and result', async () => {
    const search = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'a' },
    };
    const image = {
      id: 'ig_1',
      type: 'image_generation_call',
      status: 'completed',
      result: 'aGk=',
      output_format: 'webp',
    };
    const mcp = {
      id: 'mcp_1',
      type: 'mcp_call',
      name: 'ask',
      arguments: '{"q":1}',
      output: null,
      error: 'no',
    };
    const {
      events: seen,
      calls,
      last,
    } = await read(
      events(done(0, search), done(1, image), done(2, mcp), done(3, message('Seen.')), completed()),
    );
    expect(calls).toMatchObject([
      { callId: 'ws_1', name: 'web_search', input: { query: 'a' }, isProviderExecuted: true },
      { callId: 'ig_1', name: 'image_generation', isProviderExecuted: true },
      { callId: 'mcp_1', name: 'ask', input: { q: 1 }, isProviderExecuted: true },
    ]);
    expect(seen).toContainEqual({ type: 'file', mediaType: 'image/webp', base64: 'aGk=' });
    expect(seen).toContainEqual(
      expect.objectContaining({ type: 'provider-result', callId: 'mcp_1', isError: true }),
    );
    expect(last).toMatchObject({ finish: 'stop', messages: [search, image, mcp, message('Seen.')] });
  });

  it('reads items that come only with the end', async () => {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"a"}' };
    const { calls, last } = await read(events(completed({ output: [message('Hi'), call] })));
    expect(calls).toMatchObject([{ callId: 'a', input: { path: 'a' } }]);
    expect(last).toMatchObject({ finish: 'tool-calls', messages: [message('Hi'), call] });
  });

  it('tells paragraphs of a reasoning apart', async () => {
    const part = (summary_index: number, delta: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      summary_index,
      delta,
    });
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'x' };
    const { reasoning } = await read(
      events(
        part(0, 'One'),
        part(0, ' two'),
        part(1, 'Three'),
        done(0, item),
        done(1, message('Hi')),
        completed(),
      ),
    );
    expect(reasoning).toBe('One two\n\nThree');
  });

  it('does not send reasoning back of which it has nothing but the name', async () => {
    const { last } = await read(
      events(done(0, { id: 'rs_1', type: 'reasoning', summary: [] }), done(1, message('Hi')), completed()),
    );
    const { id: _, ...nameless } = message('Hi');
    expect(last.messages).toEqual([nameless]);
    expect(findWireFaults('openai-responses', [user, ...last.messages])).toEqual([]);
  });

  it('does not send reasoning back that nothing follows, nor messages that say nothing', async () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'x' };
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const { last } = await read(
      events(done(0, item), done(1, message(' ')), {
        ...completed(response),
        type: 'response.incomplete',
      }),
    );
    expect(last).toMatchObject({ type: 'end', finish: 'length', messages: [] });
  });

  it('tells a refusal', async () => {
    const place = { output_index: 0, item_id: 'msg_1', content_index: 0 };
    const item = { ...message(''), content: [{ type: 'refusal', refusal: 'No.' }] };
    const { text, last } = await read(
      events({ type: 'response.refusal.delta', ...place, delta: 'No.' }, done(0, item), completed()),
    );
    expect(text).toBe('No.');
    expect(last).toMatchObject({ finish: 'refusal', messages: [item] });
  });

  it('takes custom tools, whose input is any text', async () => {
    const item = { id: 'ct_1', type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '' };
    const { calls } = await read(
      events(
        { type: 'response.output_item.added', output_index: 0, item },
        {
          type: 'response.custom_tool_call_input.delta',
          output_index: 0,
          item_id: 'ct_1',
          delta: '*** Begin',
        },
        done(0, { ...item, input: '*** Begin' }),
        completed(),
      ),
    );
    expect(calls).toMatchObject([{ callId: 'a', input: '*** Begin', isInvalid: false }]);
  });

  it.each([
    ['rate_limit_exceeded', 'Rate limit reached. Please try again in 11.5s.', 'rate'],
    ['server_error', 'The server had an error', 'provider'],
    ['context_length_exceeded', 'Your input exceeds the context window of this model.', 'overflow'],
  ])('reads a response that failed by %s', async (code, text, kind) => {
    const failed = { id: 'resp_1', status: 'failed', error: { code, message: text } };
    const { last } = await read(events({ type: 'response.failed', response: failed }));
    expect(last).toMatchObject({ type: 'error', failure: { kind, recoverable: true } });
  });

  it('asks for encrypted reasoning, and does without where a model has none', async () => {
    await using server = await startServer(
      reply(400, {
        error: {
          message: 'Encrypted content is not supported with this model.',
          type: 'invalid_request_error',
          param: 'include',
          code: null,
        },
      }),
      events(done(0, message('Hi')), completed()),
    );
    const driver = createOpenaiResponsesDriver({ model: 'm', baseUrl: `${server.url}/v1` });
    const { last } = await readStep(driver, { system: 'An agent', messages: [user], conversationId: 'c' });
    expect(last.type).toBe('end');
    expect(server.requests[0]?.body).toMatchObject({
      instructions: 'An agent',
      input: [user],
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'c',
    });
    expect(server.requests[1]?.body).not.toHaveProperty('include');
  });
});
