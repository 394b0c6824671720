import { createAnthropicDriver } from '@throughline/drivers';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { reply, startServer, stream } from './fake-server.ts';
import type { Reply } from './fake-server.ts';
import { readStep } from './read-step.ts';
import type { ReadStep } from './read-step.ts';
import { namedEvent } from './wires/wire.ts';

const user = { role: 'user', content: 'Hello' };
const usage = { input_tokens: 9, output_tokens: 1 };
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', role: 'assistant', content: [], usage },
};

function end(stop_reason: string, counted: object = { output_tokens: 5 }): object {
  return { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: counted };
}

function block(index: number, content_block: object, ...deltas: readonly object[]): readonly object[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function events(...list: readonly object[]): Reply {
  return stream(...[...list, { type: 'message_stop' }].map((event) => namedEvent(event as { type: string })));
}

async function read(answer: Reply): Promise<ReadStep> {
  await using server = await startServer(answer);
  return await readStep(createAnthropicDriver({ model: 'm', baseUrl: server.url }), { messages: [user] });
}

describe('traffic of servers that speak Anthropic Messages', () => {
  it('tells tools that the provider runs, sources and results, and gives all of it back', async () => {
    const found = [
      { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'x' },
    ];
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.example',
      title: 'A',
      cited_text: 'so',
      encrypted_index: 'y',
    };
    const {
      events: seen,
      calls,
      last,
    } = await read(
      events(
        start,
        ...block(
          0,
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":"a"}' },
        ),
        ...block(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found }),
        ...block(
          2,
          { type: 'text', text: '', citations: [] },
          { type: 'text_delta', text: 'It is so.' },
          { type: 'citations_delta', citation },
        ),
        end('end_turn'),
      ),
    );
    expect(calls).toMatchObject([{ name: 'web_search', input: { query: 'a' }, isProviderExecuted: true }]);
    expect(seen).toContainEqual({
      type: 'provider-result',
      callId: 'srvtoolu_1',
      name: 'web_search',
      output: found,
      isError: false,
    });
    expect(seen).toContainEqual({ type: 'source', url: 'https://a.example', title: 'A' });
    expect(last).toMatchObject({
      finish: 'stop',
      messages: [
        {
          content: [
            { type: 'server_tool_use', input: { query: 'a' } },
            { type: 'web_search_tool_result', content: found },
            { type: 'text', text: 'It is so.', citations: [citation] },
          ],
        },
      ],
    });
    expect(findWireFaults('anthropic', [user, ...last.messages])).toEqual([]);
  });

  it('gives thinking back with its signature, and redacted thinking as it is', async () => {
    const { events: seen, last } = await read(
      events(
        start,
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'Hm' },
          { type: 'signature_delta', signature: 'c2ln' },
        ),
        ...block(1, { type: 'redacted_thinking', data: 'c2VjcmV0' }),
        ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes' }),
        end('end_turn'),
      ),
    );
    const secrets = seen.flatMap((event) => (event.type === 'reasoning-end' ? [event.secret] : []));
    expect(secrets).toEqual([{ signature: 'c2ln' }, { data: 'c2VjcmV0' }]);
    expect(last.messages).toMatchObject([
      {
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'c2VjcmV0' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ]);
  });

  it.each([
    ['pause_turn', 'paused'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'window-full'],
    ['stop_sequence', 'stop'],
    ['something_new', 'other'],
  ])('reads the stop reason %s as %s', async (reason, finish) => {
    const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes' });
    expect((await read(events(start, ...text, end(reason)))).last).toMatchObject({
      finish,
      finishReason: reason,
    });
  });

  it('leaves out what the API does not take back: blank text, and thinking alone', async () => {
    const thinking = block(0, { type: 'thinking', thinking: 'Hm', signature: 'c2ln' });
    const blank = block(1, { type: 'text', text: '' }, { type: 'text_delta', text: ' \n' });
    expect((await read(events(start, ...thinking, ...blank, end('max_tokens')))).last).toMatchObject({
      type: 'end',
      messages: [],
    });
  });

  it('keeps a compaction of the provider', async () => {
    const { last } = await read(
      events(
        start,
        ...block(0, { type: 'compaction', content: null }, { type: 'compaction_delta', content: 'So far …' }),
        end('end_turn'),
      ),
    );
    expect(last.messages).toEqual([
      { role: 'assistant', content: [{ type: 'compaction', content: 'So far …' }] },
    ]);
  });

  it('believes the counts that imitators send only at the end', async () => {
    const empty = { ...start, message: { ...start.message, usage: { input_tokens: 0, output_tokens: 0 } } };
    const counted = { input_tokens: 300, cache_read_input_tokens: 700, output_tokens: 5 };
    const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes' });
    expect((await read(events(empty, ...text, end('end_turn', counted)))).last).toMatchObject({
      usage: { inputTokens: 1_000, cacheReadTokens: 700, outputTokens: 5, totalTokens: 1_005 },
    });
  });

  it('takes a call whose input comes whole, and blocks that do not end', async () => {
    const { calls } = await read(
      events(
        start,
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
        },
        end('tool_use'),
      ),
    );
    expect(calls).toMatchObject([{ callId: 'toolu_1', input: { path: 'a' }, isInvalid: false }]);
  });

  it('sends the key, the most tokens the model has, and tools in its form', async () => {
    const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes' });
    await using server = await startServer(events(start, ...text, end('end_turn')));
    const driver = createAnthropicDriver({ model: 'claude-opus-4-5', baseUrl: server.url, apiKey: 'sk-1' });
    const tools = [{ name: 'read', description: 'Reads', inputSchema: { type: 'object' } }];
    const system = [{ type: 'text', text: 'An agent', cache_control: { type: 'ephemeral' } }];
    await readStep(driver, { system, messages: [user], tools, toolChoice: 'required' });
    const [seen] = server.requests;
    expect(seen?.path).toBe('/v1/messages');
    // Before version 1 the SDK sent it in a header of its own.
    const { authorization = 'none', 'x-api-key': key = 'none' } = seen?.headers ?? {};
    expect([authorization, `Bearer ${String(key)}`]).toContain('Bearer sk-1');
    expect(seen?.body).toMatchObject({
      max_tokens: 64_000,
      system,
      tools: [{ name: 'read', description: 'Reads', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    });
  });

  it('reads a refusal of bytes that comes from a proxy in front, as a page', async () => {
    const page = '<html><head><title>413 Request Entity Too Large</title></head></html>';
    const { last } = await read({ ...reply(413, page), headers: { 'content-type': 'text/html' } });
    expect(last).toMatchObject({ failure: { kind: 'bytes', recoverable: true, status: 413 } });
  });
});
