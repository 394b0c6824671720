import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import {
  askRecalling,
  bodyAt,
  clientTool,
  hear,
  recalls,
  saying,
  secret,
  toolName,
  windowTokens,
} from './recalling.ts';
import { dialectNames, longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Failure } from '@throughline/testkit';

const stream = (...events: readonly object[]): Failure => ({
  raw: {
    status: 200,
    type: 'text/event-stream',
    body: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}`,
  },
});
const named = `{"id":"m0"}`;
const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: toolName,
  arguments: named,
  status: 'completed',
};
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'So.', annotations: [], logprobs: [] }],
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  output: [] as readonly object[],
};
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const callPiece = { function: { name: toolName, arguments: named } };

/** Streams in which a call is told in another way than the APIs do it. */
const odd: readonly (readonly [string, DialectName, Failure])[] = [
  [
    'items that are told at the end only',
    'responses',
    stream(
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      {
        type: 'response.completed',
        response: { ...response, status: 'completed', output: [message, call], usage },
      },
    ),
  ],
  [
    'a call without a number and a name of its own',
    'chat',
    stream(
      chunk({ role: 'assistant', content: 'So.' }),
      chunk({ tool_calls: [callPiece] }),
      chunk({}, 'tool_calls'),
    ),
  ],
  [
    'a call behind one of the client, both under one number',
    'chat',
    stream(
      chunk({ role: 'assistant', content: 'So.' }),
      chunk({
        tool_calls: [{ index: 0, id: 'y', type: 'function', function: { name: 'read', arguments: '{}' } }],
      }),
      chunk({ tool_calls: [{ index: 0, id: 'x', ...callPiece }] }),
      chunk({}, 'tool_calls'),
    ),
  ],
  [
    'a call in the first piece and the last one, which ends with "stop"',
    'chat',
    stream(
      chunk({ role: 'assistant', content: 'So.', tool_calls: [{ index: 0, id: 'x', ...callPiece }] }, 'stop'),
    ),
  ],
  [
    'arguments that come as an object, behind text in pieces',
    'chat',
    stream(
      chunk({ role: 'assistant', content: 'S' }),
      chunk({
        content: 'o.',
        tool_calls: [{ index: 0, id: 'x', function: { name: toolName, arguments: { id: 'm0' } } }],
      }),
      chunk({}, 'tool_calls'),
    ),
  ],
];

describe('a model recalls where its server tells calls in a way of its own', () => {
  it.each(odd)('%s', async (_, dialect, failure) => {
    const script = saying({}, { text: 'There.' });
    const { upstream, heard } = await askRecalling({ dialect, isStreamed: true }, script, {
      upstream: { failures: [failure] },
    });
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
    expect(bodyAt(upstream, 1).split(secret)).toHaveLength(3);
    expect([heard.text, heard.calls]).toEqual(['So.\n\nThere.', []]);
    expect(heard.raw).not.toContain(toolName);
  });
});

describe('a server that never ends its arguments', () => {
  const piece = 'x'.repeat(1_000_000);
  const endless = (name: string): Failure =>
    stream(
      chunk({ role: 'assistant', content: 'So.' }),
      chunk({ tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name, arguments: '"' } }] }),
      ...Array.from({ length: 12 }, () =>
        chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
      ),
      chunk({}, 'tool_calls'),
    );
  const heardOf = (name: string) =>
    askRecalling({ dialect: 'chat', isStreamed: true }, saying({}), {
      upstream: { failures: [endless(name)] },
      reads: 'raw',
    });

  it('in a call of the recall tool ends the answer with an error, and nothing of the call is shown', async () => {
    const { upstream, heard } = await heardOf(toolName);
    expect(upstream.requests).toHaveLength(1);
    expect(heard.raw).toContain('more than 8 MB');
    expect([heard.raw.includes(toolName), heard.raw.length < 100_000]).toEqual([false, true]);
  });

  it('in a call of the client’s is not kept back: all of it goes out', async () => {
    const { heard } = await heardOf('read');
    expect(heard.raw.split(piece)).toHaveLength(13);
    expect(heard.raw).toContain('"finish_reason":"tool_calls"');
  });
});

describe.each(dialectNames)('over %s, a stream that calls the recall tool', (dialect) => {
  it.each([
    [
      'fails behind the call',
      { errorAfter: { events: 14, refusal: { status: 529, message: 'Overloaded' } } },
    ],
    ['ends too early', { endAfter: 14 }],
    ['breaks off', { resetAfter: 14 }],
  ] as const)('shows nothing of it where it %s', async (_, failure) => {
    const read = { name: 'read', input: { path: 'a.ts' } };
    const script = saying({ text: 'So it is.', calls: [recalls({ query: 'stone '.repeat(20) }), read] });
    const { upstream, heard } = await askRecalling({ dialect, isStreamed: true }, script, {
      upstream: { failures: [failure] },
      reads: 'raw',
    });
    expect(upstream.requests).toHaveLength(1);
    expect(heard.raw).toContain(' it');
    expect(heard.raw).toMatch(/"error"/);
    expect(heard.raw).not.toContain(toolName);
    expect(heard.raw).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });

  it('is told of a compaction all the same', async () => {
    const script = saying({ calls: [recalls({ id: 'm0' })] }, { text: 'There.' });
    const { upstream, heard } = await askRecalling(
      { dialect, isStreamed: true, messages: longTalk(30) },
      script,
      {
        upstream: { windowTokens: 6_000 },
        route: { windowTokens: 6_000, notices: 'content' },
      },
    );
    expect(upstream.faults).toEqual([]);
    expect(heard.text.replaceAll(/\s+/g, ' ')).toBe('✅ Context compacted. There.');
    expect(heard.raw).not.toContain(toolName);
  });
});

describe('a chat without usage in its stream', () => {
  it('recalls, too, and where the route asks for usage its client does not see it', async () => {
    for (const includeUsage of [true, false]) {
      const script = saying({ text: 'So.', calls: [recalls({ id: 'm0' })] }, { text: 'There.' });
      const upstream = await createStrictUpstream({ windowTokens, answer: script });
      await using proxy = await startProxy(`${upstream.url}/v1`, {
        windowTokens,
        recall: true,
        includeUsage,
      });
      const more = { stream_options: { include_usage: false }, tools: [clientTool('chat')] };
      const messages = [{ role: 'user', text: 'Where?' }] as const;
      const heard = await hear(proxy.url, { dialect: 'chat', isStreamed: true, messages, more });
      await upstream.stop();
      expect(heard.text).toBe('So.\n\nThere.');
      expect(heard.raw).not.toContain('prompt_tokens');
      for (const at of [0, 1])
        expect(bodyAt(upstream, at).includes('"include_usage":true')).toBe(includeUsage);
    }
  });
});
