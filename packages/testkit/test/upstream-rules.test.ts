import { describe, expect, it } from 'vitest';
import { openUpstream, speakers, type SpeakerName } from './open-upstream.ts';

/** A body that the API takes, and what makes it one that it refuses. */
interface Row {
  readonly rule: string;
  readonly change: object;
  /** Words of the refusal. */
  readonly says?: string;
}

const mark = { type: 'ephemeral' };
const marked = { type: 'text', text: 'x', cache_control: mark };
const hour = { ...marked, cache_control: { ...mark, ttl: '1h' } };
const hello = { role: 'user', content: 'hello' };
const schema = { type: 'object', properties: {} };
const long = 'l'.repeat(65);

const use = (id: string, rest: object = {}): object => ({
  type: 'tool_use',
  id,
  name: 'f',
  input: {},
  ...rest,
});
const used = (...ids: string[]): object => ({ role: 'assistant', content: ids.map((id) => use(id)) });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const results = (...ids: string[]): object => ({ role: 'user', content: ids.map(result) });
const says = (...messages: object[]): object => ({ messages: [hello, ...messages] });

const messageRows: readonly Row[] = [
  { rule: 'model is missing', change: { model: undefined } },
  { rule: 'max_tokens is missing', change: { max_tokens: undefined }, says: 'max_tokens: Field required' },
  { rule: 'max_tokens is no count', change: { max_tokens: 0 } },
  { rule: 'no messages', change: { messages: [] } },
  { rule: 'an unknown role', change: says({ role: 'tool', content: 'x' }) },
  { rule: 'an empty system text', change: { system: [{ type: 'text', text: ' ' }] } },
  { rule: 'a system message with no text', change: says({ role: 'system', content: '' }) },
  {
    rule: 'calls without results directly after',
    change: says(used('a'), { role: 'system', content: 'x' }, results('a')),
    says: 'immediately after: a',
  },
  {
    rule: 'the order of messages',
    change: { messages: [{ role: 'assistant', content: 'x' }] },
    says: 'is first and not the user’s',
  },
  { rule: 'the order of messages', change: says(used('a'), hello), says: 'does not answer a' },
  {
    rule: 'the order of messages',
    change: says(results('a')),
    says: 'which the message before does not call',
  },
  { rule: 'the order of messages', change: says(used('a'), results('a'), hello, results('a')) },
  { rule: 'the order of messages', change: says(used('a'), results('a', 'a')) },
  { rule: 'the order of messages', change: says(used('a')), says: 'leaves tool calls without results' },
  {
    rule: 'the order of messages',
    change: says(used('a'), results('a'), used('a'), results('a')),
    says: 'repeats the id a',
  },
  {
    rule: 'the order of messages',
    change: says(used('a'), { role: 'user', content: [{ type: 'text', text: 'x' }, result('a')] }),
    says: 'behind other content',
  },
  { rule: 'the order of messages', change: says({ role: 'user', content: [] }), says: 'has no content' },
  {
    rule: 'the order of messages',
    change: says({ role: 'user', content: [{ type: 'text', text: '' }] }),
    says: 'blank text',
  },
  {
    rule: 'the order of messages',
    change: says({ role: 'assistant', content: 'begun ' }),
    says: 'ends in white space',
  },
  {
    rule: 'the shape of a message',
    change: says({ role: 'assistant', content: [use('a', { input: '{}' })] }, results('a')),
    says: 'input is no object',
  },
  {
    rule: 'more than four marks',
    change: { system: [marked, marked], messages: [{ role: 'user', content: [marked, marked, marked] }] },
    says: 'Found 5',
  },
  {
    rule: 'a long-lived mark behind a short-lived one',
    change: { system: [marked], messages: [{ role: 'user', content: [hour] }] },
  },
  {
    rule: 'a mark on thinking',
    change: says(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'theirs', cache_control: mark },
          { type: 'text', text: 'x' },
        ],
      },
      hello,
    ),
  },
  {
    rule: 'edited thinking',
    change: says(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'signed-of-something-else' },
          { type: 'text', text: 'x' },
        ],
      },
      hello,
    ),
    says: 'Invalid `signature`',
  },
  {
    rule: 'a thinking budget above max_tokens',
    change: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    says: '`max_tokens` must be greater than',
  },
  {
    rule: 'a thinking budget above max_tokens',
    change: { thinking: { type: 'enabled', budget_tokens: 1000 } },
    says: 'greater than or equal to 1024',
  },
  {
    rule: 'a tool loop that begins without thinking',
    change: {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 2000,
      ...says(used('a'), results('a')),
    },
    says: 'found `tool_use`',
  },
  {
    rule: 'tools of the same name',
    change: {
      tools: [
        { name: 'f', input_schema: schema },
        { name: 'f', input_schema: schema },
      ],
    },
  },
  { rule: 'a tool without a schema', change: { tools: [{ name: 'f' }] } },
];

const call = (id: string, rest: object = {}): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...rest,
});
const calls = (...ids: string[]): object => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const answers = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'ok' });

const chatRows: readonly Row[] = [
  { rule: 'model is missing', change: { model: '' } },
  { rule: 'no messages', change: { messages: [] }, says: 'empty array' },
  { rule: 'max_tokens is no count', change: { max_tokens: -5 }, says: 'got -5 instead' },
  { rule: 'max_completion_tokens is no count', change: { max_completion_tokens: 0.5 } },
  { rule: 'the order of messages', change: says({ role: 'robot', content: 'x' }), says: 'known role' },
  { rule: 'the order of messages', change: says(answers('a')), says: 'which no call directly before' },
  { rule: 'the order of messages', change: says(calls('a'), hello), says: 'before the results of a' },
  { rule: 'the order of messages', change: says(calls('a', 'b'), answers('a'), hello) },
  { rule: 'the order of messages', change: says(calls('a'), answers('a'), answers('a')) },
  { rule: 'the order of messages', change: says(calls('a', 'a'), answers('a')), says: 'calls twice' },
  { rule: 'the order of messages', change: says(calls('a')), says: 'leaves a without results' },
  { rule: 'the order of messages', change: says({ role: 'user', content: '' }), says: 'is empty' },
  { rule: 'the order of messages', change: says({ role: 'assistant', content: null }) },
  {
    rule: 'the order of messages',
    change: says({
      role: 'assistant',
      tool_calls: [call('a', { function: { name: 'f', arguments: {} } })],
    }),
    says: 'as text',
  },
  {
    rule: 'the shape of a message',
    change: says(calls('a'), { role: 'tool', tool_call_id: 'a', content: 7 }),
    says: 'neither a text nor a list',
  },
  { rule: 'an empty list of tools', change: { tools: [] } },
  {
    rule: 'a tool without a name',
    change: { tools: [{ type: 'function', function: { name: 'no spaces' } }] },
  },
  { rule: 'a choice without tools', change: { tool_choice: 'auto' } },
  { rule: 'stream options without a stream', change: { stream_options: { include_usage: true } } },
];

const functionCall = (id: string): object => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
});
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const input = (...items: object[]): object => ({ input: [hello, ...items] });

const responseRows: readonly Row[] = [
  { rule: 'model is missing', change: { model: undefined } },
  { rule: 'no input', change: { input: [] } },
  { rule: 'a response that is not known', change: { previous_response_id: 'resp_x' }, says: 'resp_x' },
  { rule: 'max_output_tokens is no count', change: { max_output_tokens: 0 } },
  {
    rule: 'an unknown type of item',
    change: input({ type: 'compaction_trigger' }),
    says: "Invalid value: 'compaction_trigger'",
  },
  { rule: 'the order of items', change: input(output('a')), says: 'which no open call before has' },
  { rule: 'the order of items', change: input(functionCall('a'), hello), says: 'has no output for a' },
  { rule: 'the order of items', change: input(functionCall('a'), output('a'), output('a')) },
  {
    rule: 'the order of items',
    change: input(functionCall('a'), output('a'), functionCall('a'), output('a')),
    says: 'repeats the call id a',
  },
  { rule: 'the order of items', change: input(functionCall(long), output(long)), says: 'too long' },
  {
    rule: 'the order of items',
    change: input({ type: 'reasoning', id: 'rs_x', summary: [] }, hello),
    says: 'reasoning without its following item',
  },
  { rule: 'the order of items', change: input({ role: 'user', content: '' }), says: 'has no content' },
  {
    rule: 'the shape of an item',
    change: input({ ...functionCall('a'), arguments: {} }, output('a')),
    says: 'arguments are no text',
  },
  {
    rule: 'an item twice',
    change: input({ ...functionCall('a'), id: 'fc_1' }, { ...output('a'), id: 'fc_1' }),
    says: 'Duplicate item found with id fc_1',
  },
];

const good: Readonly<Record<SpeakerName, object>> = {
  chat: { model: 'm', messages: [hello] },
  messages: { model: 'm', max_tokens: 1500, messages: [hello] },
  responses: { model: 'm', input: [hello] },
};

const rows: Readonly<Record<SpeakerName, readonly Row[]>> = {
  chat: chatRows,
  messages: messageRows,
  responses: responseRows,
};

describe.each(['chat', 'messages', 'responses'] as const)('the rules of %s', (name) => {
  const { path } = speakers[name];

  it.each(rows[name])('refuse $rule: $says', async ({ rule, change, says: words }) => {
    const { upstream, post } = await openUpstream();
    expect((await post(path, good[name])).status).toBe(200);
    const refused = await post(path, { ...good[name], ...change });
    const body = (await refused.json()) as { error: { message: string; type: string } };
    expect(refused.status).toBe(400);
    expect(body.error.type).toBe('invalid_request_error');
    expect(upstream.faults.map((fault) => fault.rule)).toContain(rule);
    expect(upstream.faults.every(({ request }) => request === 1)).toBe(true);
    const [first] = upstream.faults;
    expect(body.error.message).toBe(first?.message);
    expect(upstream.faults.map(({ message }) => message).join('\n')).toContain(words ?? '');
  });

  it('refuse what is no JSON', async () => {
    const { upstream, post } = await openUpstream();
    expect((await post(path, '{"model":')).status).toBe(400);
    expect(upstream.faults).toMatchObject([{ rule: 'no JSON' }]);
  });

  it('have a row here for each', async () => {
    const tested = new Set(rows[name].map(({ rule }) => rule));
    // Needs an answer of the upstream itself; see below.
    tested.add('an item without its reasoning');
    const { chatRules, responseRules } = await import('../src/upstream/rules/openai-rules.ts');
    const { messageRules } = await import('../src/upstream/rules/message-rules.ts');
    const table = { chat: chatRules, messages: messageRules, responses: responseRules }[name];
    expect(Object.keys(table).filter((rule) => !tested.has(rule))).toEqual([]);
  });

  it('accept a field that nobody knows, and refuse one that they were told to', async () => {
    const open = await openUpstream();
    expect((await open.post(path, { ...good[name], novelty: 1 })).status).toBe(200);
    const closed = await openUpstream({ refusedFields: ['novelty'] });
    const refused = await closed.post(path, { ...good[name], novelty: 1 });
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toBe(
      {
        chat: 'Unrecognized request argument supplied: novelty',
        messages: 'novelty: Extra inputs are not permitted',
        responses: "Unknown parameter: 'novelty'.",
      }[name],
    );
    expect(closed.upstream.faults).toEqual([]);
  });

  it('accept calls with their results', async () => {
    const { upstream, post } = await openUpstream();
    const bodies = {
      chat: says(calls('a', 'b'), answers('b'), answers('a'), calls('c'), answers('c')),
      messages: says(used('a', 'b'), results('b', 'a'), used('c'), results('c')),
      responses: input(functionCall('a'), functionCall('b'), output('b'), output('a')),
    };
    expect((await post(path, { ...good[name], ...bodies[name] })).status).toBe(200);
    expect(upstream.faults).toEqual([]);
  });

  it('refuse a beginning of the answer where they were told to', async () => {
    const { post } = await openUpstream({ refusesPrefill: true });
    const list = [hello, { role: 'assistant', content: 'begun' }];
    const refused = await post(path, { ...good[name], messages: list, input: list });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('does not support assistant message prefill');
  });
});

describe('Messages', () => {
  it('takes system messages anywhere in the conversation, and refuses them where it was told to', async () => {
    const system = { role: 'system', content: 'be brief' };
    const body = {
      ...good.messages,
      messages: [hello, system, { role: 'assistant', content: 'x' }, hello, system],
    };
    const open = await openUpstream();
    expect((await open.post('/v1/messages', body)).status).toBe(200);
    expect(open.upstream.requests[0]?.asked?.question).toBe('hello');
    expect(open.upstream.faults).toEqual([]);
    const closed = await openUpstream({ refusesSystemMessages: true });
    const refused = await closed.post('/v1/messages', body);
    expect(await refused.text()).toContain("messages.1: role 'system' is not supported");
  });

  it('wants to know its version, unless it is a server of another kind', async () => {
    const { upstream, post } = await openUpstream();
    expect((await post('/v1/messages', good.messages, { 'anthropic-version': '' })).status).toBe(200);
    const bare = await fetch(`${upstream.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(good.messages),
    });
    expect(bare.status).toBe(400);
    expect(upstream.faults).toMatchObject([{ rule: 'no version' }]);
    const other = await openUpstream({ server: 'llama.cpp' });
    const taken = await fetch(`${other.upstream.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(good.messages),
    });
    expect(taken.status).toBe(200);
  });

  it('takes thinking back as it gave it, and not otherwise', async () => {
    const { anthropic, upstream } = await openUpstream({
      answer: () => ({ reasoning: 'let me see', text: 'fine' }),
    });
    const question = { role: 'user' as const, content: 'hello' };
    const body = { model: 'm', max_tokens: 100 };
    const { content } = await anthropic.messages.create({ ...body, messages: [question] });
    const next = (blocks: typeof content): Promise<unknown> =>
      anthropic.messages.create({
        ...body,
        messages: [question, { role: 'assistant', content: blocks }, question],
      });
    await next(content);
    expect(upstream.faults).toEqual([]);
    const edited = content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: 'see' } : block,
    );
    await expect(next(edited)).rejects.toMatchObject({ status: 400 });
    expect(upstream.faults).toMatchObject([{ rule: 'edited thinking', request: 2 }]);
  });
});

describe('Responses', () => {
  it('takes its items back with their reasoning, and not without', async () => {
    const { openai, post, upstream } = await openUpstream({
      answer: () => ({ reasoning: 'let me see', calls: [{ name: 'f', input: {} }] }),
    });
    const question = { role: 'user' as const, content: 'hello' };
    const { output: items } = await openai.responses.create({ model: 'm', input: [question] });
    const answered = items.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output', call_id: item.call_id, output: 'ok' }]
        : [],
    );
    const next = (list: readonly object[]): Promise<Response> =>
      post('/v1/responses', { model: 'm', input: [question, ...list, ...answered] });
    expect((await next(items)).status).toBe(200);
    expect(upstream.faults).toEqual([]);
    expect((await next(items.filter(({ type }) => type !== 'reasoning'))).status).toBe(400);
    expect(upstream.faults).toMatchObject([{ rule: 'an item without its reasoning', request: 2 }]);
    expect(upstream.faults[0]?.message).toContain("without its required 'reasoning' item");
  });
});
