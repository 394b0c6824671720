import type { FormatName } from '../src/recording/format-names.ts';

/** Small made-up recordings, one or more per format. */
export interface Sample {
  readonly format: FormatName;
  readonly name: string;
  readonly text: string;
  /** Messages of the first session. */
  readonly messages: number;
}

export function jsonl(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

const claude = {
  isSidechain: false,
  userType: 'external',
  cwd: '/home/ada/shop',
  sessionId: 's-1',
  version: '2.1.0',
};

/** A line of a Claude Code session. Minutes make the time. */
export function claudeLine(
  uuid: string,
  parentUuid: string | null,
  message: object,
  more: Readonly<Record<string, unknown>> = {},
): object {
  const { minute = 0, ...fields } = more;
  const type = (message as { role: string }).role;
  const timestamp = `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
  return { parentUuid, ...claude, type, message, uuid, timestamp, ...fields };
}

export function claudeAnswer(id: string, ...content: readonly object[]): object {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 90,
    output_tokens: 5,
  };
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-test-1',
    content,
    stop_reason: null,
    usage,
  };
}

export const toolUse = (id: string): object => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: { path: `/${id}.ts` },
});
export const toolResult = (id: string, content = `content of ${id}`): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

const claudeCode = jsonl(
  { type: 'summary', summary: 'Fix the shop', leafUuid: 'c5' },
  claudeLine('c1', null, { role: 'user', content: 'Fix the shop.' }),
  claudeLine('c2', 'c1', claudeAnswer('msg_1', { type: 'text', text: 'I look.' }), { minute: 1 }),
  claudeLine('c3', 'c2', claudeAnswer('msg_1', toolUse('t1')), { minute: 1 }),
  claudeLine('c4', 'c3', { role: 'user', content: [toolResult('t1')] }, { minute: 2 }),
  claudeLine('c5', 'c4', claudeAnswer('msg_2', { type: 'text', text: 'Done.' }), { minute: 3 }),
);

const claudeSdk = jsonl(
  { type: 'system', subtype: 'init', session_id: 's-2', model: 'claude-test-1', tools: ['Read'] },
  {
    type: 'assistant',
    message: claudeAnswer('msg_1', toolUse('t1')),
    parent_tool_use_id: null,
    session_id: 's-2',
  },
  {
    type: 'user',
    message: { role: 'user', content: [toolResult('t1')] },
    parent_tool_use_id: null,
    session_id: 's-2',
  },
  { type: 'assistant', message: claudeAnswer('msg_2', { type: 'text', text: 'Done.' }), session_id: 's-2' },
  { type: 'result', subtype: 'success', session_id: 's-2', usage: { input_tokens: 99_999 } },
);

export function rolloutLine(type: string, payload: object, second = 0): object {
  return { timestamp: `2026-03-01T10:00:${String(second).padStart(2, '0')}.000Z`, type, payload };
}

export function tokenCount(input: number, cached = 0): object {
  const last_token_usage = { input_tokens: input, cached_input_tokens: cached, output_tokens: 7 };
  return rolloutLine('event_msg', {
    type: 'token_count',
    info: { total_token_usage: { input_tokens: 9e6 }, last_token_usage },
  });
}

export const said = (role: string, text: string): object => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

const codexRollout = jsonl(
  rolloutLine('session_meta', {
    id: 'r-1',
    cwd: '/home/ada',
    base_instructions: { text: 'You are an agent.' },
  }),
  rolloutLine('turn_context', { model: 'gpt-test', cwd: '/home/ada' }),
  rolloutLine('response_item', said('user', 'List the files.'), 1),
  rolloutLine('event_msg', { type: 'user_message', message: 'List the files.' }, 1),
  rolloutLine('response_item', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' }, 2),
  rolloutLine(
    'response_item',
    { type: 'function_call', name: 'sh', arguments: '{"cmd":"ls"}', call_id: 'f1' },
    2,
  ),
  rolloutLine('response_item', { type: 'function_call_output', call_id: 'f1', output: 'a.ts' }, 3),
  tokenCount(1_000, 200),
  rolloutLine('response_item', said('assistant', 'One file.'), 4),
  tokenCount(1_100, 1_000),
);

const codexExec = jsonl(
  { type: 'thread.started', thread_id: 'e-1' },
  {
    type: 'item.started',
    item: { id: 'item_0', type: 'command_execution', command: 'ls', status: 'in_progress' },
  },
  {
    type: 'item.completed',
    item: { id: 'item_0', type: 'command_execution', command: 'ls', aggregated_output: 'a.ts', exit_code: 0 },
  },
  { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'One file.' } },
  { type: 'turn.completed', usage: { input_tokens: 1_000_000, output_tokens: 5 } },
);

export function piEntry(id: string, parentId: string | null, message: object): object {
  return { type: 'message', id, parentId, timestamp: '2026-03-01T10:00:00.000Z', message };
}

export const piHeader = {
  type: 'session',
  version: 3,
  id: 'p-1',
  timestamp: '2026-03-01T10:00:00.000Z',
  cwd: '/home/ada',
};
export const piUser = (text: string): object => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: 1,
});
export const piAnswer = (...content: readonly object[]): object => ({
  role: 'assistant',
  content,
  api: 'test-api',
  provider: 'test',
  model: 'test-1',
  usage: { input: 10, output: 5, cacheRead: 80, cacheWrite: 10, totalTokens: 105 },
  stopReason: 'stop',
  timestamp: 2,
});
export const piCall = (id: string): object => ({
  type: 'toolCall',
  id,
  name: 'read',
  arguments: { path: `/${id}` },
});
export const piResult = (id: string): object => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: 'read',
  content: [{ type: 'text', text: `content of ${id}` }],
  isError: false,
  timestamp: 3,
});

const pi = jsonl(
  piHeader,
  {
    type: 'model_change',
    id: 'e0',
    parentId: null,
    timestamp: '2026-03-01T10:00:00.000Z',
    provider: 'test',
    modelId: 'test-1',
  },
  piEntry('e1', 'e0', piUser('Read it.')),
  piEntry('e2', 'e1', piAnswer(piCall('k1'))),
  piEntry('e3', 'e2', piResult('k1')),
  piEntry('e4', 'e3', piAnswer({ type: 'text', text: 'Done.' })),
);

export const chatMessages: readonly object[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Bern?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'w1', type: 'function', function: { name: 'weather', arguments: '{"city": "Bern"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'w1', content: 'rain, 8 °C' },
  { role: 'assistant', content: 'Rain.' },
];

const anthropicMessages: readonly object[] = [
  { role: 'user', content: 'Weather in Bern?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'w1', name: 'weather', input: { city: 'Bern' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w1', content: 'rain' }] },
];

const aiSdkMessages: readonly object[] = [
  { role: 'user', content: 'Weather in Bern?' },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'w1', toolName: 'weather', input: { city: 'Bern' } }],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'w1', toolName: 'weather', output: { type: 'text', value: 'rain' } },
    ],
  },
];

const items: readonly object[] = [
  said('user', 'Weather in Bern?'),
  { type: 'function_call', call_id: 'w1', name: 'weather', arguments: '{"city":"Bern"}' },
  { type: 'function_call_output', call_id: 'w1', output: 'rain' },
];

const sessionMessages: readonly object[] = [
  { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'Weather in Bern?' }] },
  {
    id: 'm1',
    role: 'assistant',
    parts: [{ type: 'call', callId: 'w1', name: 'weather', input: { city: 'Bern' } }],
  },
  {
    id: 'm2',
    role: 'tool',
    parts: [{ type: 'result', callId: 'w1', name: 'weather', content: [{ type: 'text', text: 'rain' }] }],
  },
];

const throughline = jsonl(
  { line: 'session', format: 1, id: 's1', title: 'Weather', model: 'demo:scripted' },
  ...sessionMessages.map((message, index) => ({ line: 'message', createdAtMs: index, message })),
  { line: 'run', id: 'r1', epoch: 1, outcome: { type: 'completed' } },
  { line: 'event', seq: 1, type: 'run:start', data: {} },
);

const sweAgent = JSON.stringify(
  {
    environment: 'main',
    trajectory: [{ action: 'ls', observation: 'a.py', response: 'I look.' }],
    history: [
      { message_type: 'system_prompt', role: 'system', content: 'SETTING', agent: 'main' },
      { message_type: 'observation', role: 'user', content: 'Fix the issue.', agent: 'main' },
      {
        message_type: 'action',
        role: 'assistant',
        content: 'I look.',
        agent: 'main',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
      },
      {
        message_type: 'observation',
        role: 'tool',
        content: 'a.py',
        agent: 'main',
        tool_call_ids: ['call_1'],
      },
    ],
    info: { exit_status: 'submitted', model_stats: { tokens_sent: 122_612 } },
  },
  null,
  4,
);

const opencodeIds = (n: number): object => ({ id: `prt_${n}`, sessionID: 'ses_1', messageID: `msg_${n}` });
export const opencodeUser = (n: number, ...parts: readonly object[]): object => ({
  info: {
    role: 'user',
    id: `msg_${n}`,
    sessionID: 'ses_1',
    time: { created: n },
    agent: 'build',
    model: { providerID: 'x', modelID: 'y' },
  },
  parts: parts.map((part) => ({ ...part, ...opencodeIds(n) })),
});
export const opencodeAnswer = (n: number, info: object, ...parts: readonly object[]): object => ({
  info: {
    role: 'assistant',
    id: `msg_${n}`,
    sessionID: 'ses_1',
    time: { created: n, completed: n },
    parentID: `msg_${n - 1}`,
    providerID: 'x',
    modelID: 'y',
    tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 90, write: 0 } },
    finish: 'stop',
    ...info,
  },
  parts: [
    { type: 'step-start', ...opencodeIds(n) },
    ...parts.map((part) => ({ ...part, ...opencodeIds(n) })),
  ],
});
export const opencodeTool = (callID: string, output: string, more: object = {}): object => ({
  type: 'tool',
  callID,
  tool: 'read',
  state: {
    status: 'completed',
    input: { filePath: '/a.ts' },
    output,
    title: 'a.ts',
    metadata: {},
    time: { start: 1, end: 2 },
    ...more,
  },
});

const opencode = JSON.stringify(
  {
    info: { id: 'ses_1', title: 'Read a file', version: '1.2.0', time: { created: 1, updated: 9 } },
    messages: [
      opencodeUser(1, { type: 'text', text: 'Read a.ts.' }),
      opencodeAnswer(2, {}, { type: 'reasoning', text: 'Hm.' }, opencodeTool('c1', 'export {}')),
      opencodeAnswer(3, {}, { type: 'text', text: 'It is empty.' }),
    ],
  },
  null,
  2,
);

const copilot = jsonl(
  {
    type: 'session.start',
    data: { sessionId: 'c-1' },
    id: '1',
    parentId: null,
    timestamp: '2026-03-01T10:00:00.000Z',
  },
  { type: 'system.message', data: { role: 'system', content: 'You are Copilot.' }, id: '2', parentId: '1' },
  {
    type: 'user.message',
    data: { content: 'Hi', transformedContent: '<now>10:00</now>Hi' },
    id: '3',
    parentId: '2',
  },
  {
    type: 'assistant.message',
    data: {
      content: 'I look.',
      model: 'm-1',
      toolRequests: [{ toolCallId: 'x1', name: 'view', arguments: { path: '/a' } }],
    },
    id: '4',
    parentId: '3',
  },
  {
    type: 'tool.execution_complete',
    data: { toolCallId: 'x1', success: true, result: { content: 'text of a' } },
    id: '5',
    parentId: '4',
  },
);

const gemini = JSON.stringify(
  {
    sessionId: 'g-1',
    projectHash: 'ff',
    messages: [
      { id: '1', type: 'user', content: 'Write b.md' },
      {
        id: '2',
        type: 'gemini',
        content: 'I will.',
        thoughts: [{ subject: 'Plan', description: 'Write it.' }],
        tokens: { input: 100, output: 5, cached: 40, thoughts: 2, tool: 0, total: 107 },
        model: 'gemini-test',
        toolCalls: [
          {
            id: 'wf-1',
            name: 'write_file',
            args: { file_path: 'b.md' },
            result: [
              { functionResponse: { id: 'wf-1', name: 'write_file', response: { output: 'written' } } },
            ],
            status: 'success',
          },
        ],
      },
    ],
  },
  null,
  2,
);

const openhandsOutput = jsonl({
  instance_id: 'repo-1',
  history: [
    {
      id: 0,
      source: 'agent',
      action: 'system',
      args: { content: 'You are OpenHands.', tools: [{ type: 'function' }] },
    },
    { id: 1, source: 'user', action: 'message', args: { content: 'Fix it.' } },
    {
      id: 2,
      source: 'agent',
      action: 'run',
      args: { command: 'ls', thought: 'I look.' },
      tool_call_metadata: {
        function_name: 'bash',
        tool_call_id: 'o1',
        model_response: {
          id: 'gen-1',
          model: 'test-model',
          choices: [
            {
              message: {
                role: 'assistant',
                content: 'I look.',
                tool_calls: [
                  { id: 'o1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
                ],
              },
            },
          ],
          usage: { prompt_tokens: 500, completion_tokens: 9 },
        },
      },
    },
    {
      id: 3,
      source: 'agent',
      cause: 2,
      observation: 'run',
      content: 'a.py',
      success: true,
      tool_call_metadata: { function_name: 'bash', tool_call_id: 'o1' },
    },
  ],
});

const openhandsCall = JSON.stringify({
  messages: chatMessages,
  tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }],
  kwargs: { temperature: 0 },
  response: {
    id: 'chatcmpl-1',
    model: 'test-model',
    choices: [{ message: { role: 'assistant', content: 'Bye.' } }],
    usage: { prompt_tokens: 400, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 100 } },
  },
});

const openhandsEvents = jsonl(
  {
    id: 'a',
    kind: 'SystemPromptEvent',
    source: 'agent',
    system_prompt: { type: 'text', text: 'You are OpenHands.' },
    tools: [],
  },
  {
    id: 'b',
    kind: 'MessageEvent',
    source: 'user',
    llm_message: { role: 'user', content: [{ type: 'text', text: 'Fix it.' }] },
  },
  {
    id: 'c',
    kind: 'ActionEvent',
    source: 'agent',
    thought: [{ type: 'text', text: 'I look.' }],
    tool_name: 'bash',
    tool_call_id: 'o1',
    tool_call: { id: 'o1', name: 'bash', arguments: '{"command":"ls"}' },
    llm_response_id: 'gen-1',
  },
  {
    id: 'd',
    kind: 'ObservationEvent',
    source: 'environment',
    tool_name: 'bash',
    tool_call_id: 'o1',
    observation: { content: [{ type: 'text', text: 'a.py' }] },
  },
);

const cline = JSON.stringify(
  {
    version: 1,
    agent: 'lead',
    sessionId: 'cl-1',
    messages: [
      {
        id: 'm1',
        role: 'user',
        content: [
          { type: 'text', text: 'Fix it.' },
          { type: 'file', path: '/a', content: 'x' },
        ],
        ts: 1,
      },
      {
        id: 'm2',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'q1', name: 'editor', input: { path: '/a' } }],
        ts: 2,
        modelInfo: { id: 'test-model' },
        metrics: { inputTokens: 500, outputTokens: 9, cacheReadTokens: 100, cacheWriteTokens: 0 },
      },
      {
        id: 'm3',
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'q1', name: 'editor', content: 'ok' }],
        ts: 3,
      },
    ],
    system_prompt: 'You are Cline.',
  },
  null,
  '\t',
);

/** Formats that log events, not messages: they are not written back. */
export const eventLogs: ReadonlySet<FormatName> = new Set<FormatName>([
  'claude-sdk',
  'codex-exec',
  'copilot-cli',
  'gemini-cli',
  'openhands',
  'throughline',
]);

export const samples: readonly Sample[] = [
  { format: 'openai-chat', name: 'a bare list', text: JSON.stringify(chatMessages, null, 2), messages: 5 },
  {
    format: 'openai-chat',
    name: 'a request body',
    text: JSON.stringify({ model: 'gpt-x', messages: chatMessages }),
    messages: 5,
  },
  {
    format: 'openai-chat',
    name: 'a dataset of runs',
    text: JSON.stringify(
      [
        { task_id: 7, trial: 1, traj: chatMessages },
        { task_id: 8, trial: 0, traj: chatMessages.slice(0, 2) },
      ],
      null,
      1,
    ),
    messages: 5,
  },
  { format: 'openai-chat', name: 'JSONL of messages', text: jsonl(...chatMessages), messages: 5 },
  {
    format: 'openai-chat',
    name: 'JSONL of requests',
    text: jsonl({ messages: chatMessages }, { messages: chatMessages }),
    messages: 5,
  },
  {
    format: 'openai-chat',
    name: 'plain talk',
    text: JSON.stringify([{ role: 'user', content: 'Hi' }]),
    messages: 1,
  },
  {
    format: 'openai-responses',
    name: 'a request',
    text: JSON.stringify({ instructions: 'Be brief.', input: items }),
    messages: 3,
  },
  { format: 'openai-responses', name: 'a list of items', text: JSON.stringify(items, null, 2), messages: 3 },
  {
    format: 'openai-responses',
    name: 'a response',
    text: JSON.stringify({ object: 'response', output: items.slice(1, 2) }),
    messages: 1,
  },
  {
    format: 'anthropic',
    name: 'a request',
    text: JSON.stringify({ system: 'Be brief.', messages: anthropicMessages }, null, 2),
    messages: 3,
  },
  { format: 'anthropic', name: 'a bare list', text: JSON.stringify(anthropicMessages), messages: 3 },
  {
    format: 'anthropic',
    name: 'plain talk with a system prompt',
    text: JSON.stringify({ system: 'x', messages: [{ role: 'user', content: 'Hi' }] }),
    messages: 1,
  },
  { format: 'ai-sdk', name: 'a bare list', text: JSON.stringify(aiSdkMessages, null, 2), messages: 3 },
  { format: 'ai-sdk', name: 'an object', text: JSON.stringify({ messages: aiSdkMessages }), messages: 3 },
  { format: 'session', name: 'JSONL', text: jsonl(...sessionMessages), messages: 3 },
  { format: 'claude-code', name: 'a session', text: claudeCode, messages: 4 },
  { format: 'claude-sdk', name: 'a stream', text: claudeSdk, messages: 3 },
  { format: 'codex-rollout', name: 'a rollout', text: codexRollout, messages: 5 },
  { format: 'codex-exec', name: 'events', text: codexExec, messages: 3 },
  { format: 'pi', name: 'a session', text: pi, messages: 4 },
  { format: 'swe-agent', name: 'a trajectory', text: sweAgent, messages: 4 },
  { format: 'opencode', name: 'an export', text: opencode, messages: 3 },
  { format: 'copilot-cli', name: 'events', text: copilot, messages: 3 },
  { format: 'gemini-cli', name: 'a session', text: gemini, messages: 3 },
  { format: 'openhands', name: 'an evaluation output', text: openhandsOutput, messages: 3 },
  { format: 'openhands', name: 'the log of one call', text: openhandsCall, messages: 5 },
  { format: 'openhands', name: 'events of the SDK', text: openhandsEvents, messages: 3 },
  { format: 'cline', name: 'a session', text: cline, messages: 3 },
  { format: 'throughline', name: 'an export', text: throughline, messages: 3 },
];
