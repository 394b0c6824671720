import { aiSdkWire } from '../packages/drivers/test/wires/ai-sdk-wire.ts';
import { anthropicWire } from '../packages/drivers/test/wires/anthropic-wire.ts';
import {
  ask,
  look,
  messagesOf,
  openAgent,
  typesOf,
  record,
} from '../packages/agent/test/agent/agent-bench.ts';
import { describe, expect, it } from 'vitest';
import { openaiChatWire } from '../packages/drivers/test/wires/openai-chat-wire.ts';
import { openaiResponsesWire } from '../packages/drivers/test/wires/openai-responses-wire.ts';
import { startServer, stream } from '../packages/drivers/test/fake-server.ts';
import type { Said, Wire } from '../packages/drivers/test/wires/wire.ts';
import type { SessionMessage } from '@throughline/core/codec';

const usage = { input: 1_000, cacheRead: 700, cacheWrite: 200, output: 50, reasoning: 20 };
const calls = [
  { id: 'call_a', name: 'look', input: ['{"a', 't":"x"}'] },
  { id: 'call_b', name: 'look', input: ['{"at":"y"}'] },
];
const greeting: Said = { text: ['Good ', 'day.'], finish: 'stop', usage };
const working: Said = { text: ['I look.'], calls, finish: 'tool-calls', usage };
const thinking: Said = {
  reasoning: ['Two ', 'things.'],
  text: ['I look.'],
  calls,
  finish: 'tool-calls',
  usage,
};
const thought: Said = { reasoning: ['Hm.'], text: ['Good day.'], finish: 'stop', usage };

/** What the servers of a wire send for its reasoning, and want back. */
const secrets: Readonly<Record<string, string>> = {
  'openai-chat': '"reasoning_content":"Two things."',
  anthropic: '"signature":"c2lnbmF0dXJl"',
  'openai-responses': '"encrypted_content":"ZW5jcnlwdGVk"',
  'ai-sdk': '"signature":"c2lnbmF0dXJl"',
};

interface Spoken {
  readonly answer: SessionMessage | undefined;
  readonly bodies: readonly string[];
  readonly types: readonly string[];
}

/** What is stored of the first of these answers, and what the server was sent. */
async function speak(wire: Wire, ...said: readonly Said[]): Promise<Spoken> {
  const server = await startServer(...said.map((one) => stream(wire.say(one))));
  try {
    const { agent, store } = await openAgent([], { driver: wire.create(server.url), tools: [look] });
    const session = await agent.create();
    const events = record(session);
    expect(await ask(session, 'How is it?')).toMatchObject({ type: 'completed' });
    if (server.requests.length < said.length) await ask(session, 'And now?');
    const [, answer] = await messagesOf(store, session);
    return {
      answer,
      bodies: server.requests.map(({ body }) => JSON.stringify(body)),
      types: typesOf(events),
    };
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

describe.each([openaiChatWire, anthropicWire, openaiResponsesWire, aiSdkWire])(
  'the driver of $name',
  (wire) => {
    it.each([
      ['a text', greeting],
      ['a text with spaces around it', { ...greeting, text: [' Good', ' day.\n'] }],
      ['an answer that was cut by its length', { ...greeting, finish: 'length' }],
      ['calls', working],
      [
        'a call without arguments',
        { calls: [{ id: 'call_a', name: 'look', input: [] }], finish: 'tool-calls' },
      ],
      ['reasoning and nothing else', { reasoning: ['Hm.'], finish: 'stop' }],
    ] as const satisfies [string, Said][])('stores %s once', async (_, said) => {
      const { answer } = await speak(wire, said, greeting);
      expect(answer?.parts.length).toBeGreaterThan(0);
      expect(answer?.meta).toBeUndefined();
    });

    it('stores nothing of an answer that is empty', async () => {
      const { answer, types } = await speak(wire, { finish: 'stop', usage });
      expect(answer).toBeUndefined();
      expect(types).not.toContain('llm:response');
      expect(types).toContain('step:end');
    });

    it('gets its reasoning back as it gave it, in the same run and in the next', async () => {
      const { answer, bodies } = await speak(wire, thinking, thought, greeting);
      expect(answer?.parts[0]).toMatchObject({ type: 'reasoning', text: 'Two things.' });
      const secret = secrets[wire.format] ?? '';
      expect(bodies[1]).toContain(secret);
      expect(bodies[2]).toContain(secret);
    });

    it('stores what a model wants back with its answer after a restart', async () => {
      const server = await startServer(
        ...[thinking, greeting, greeting].map((said) => stream(wire.say(said))),
      );
      try {
        const driver = wire.create(server.url);
        const { agent, another } = await openAgent([], { driver, tools: [look] });
        const { id } = await agent.create();
        await ask(await agent.open(id), 'How is it?');
        const { agent: next } = await another();
        await ask(await next.open(id), 'And now?');
        const [, before, after] = server.requests.map(({ body }) => messagesIn(body));
        expect(JSON.stringify(after)).toContain(secrets[wire.format]);
        expect(after?.slice(0, before?.length).map(unmarked)).toEqual(before?.map(unmarked));
      } finally {
        await server[Symbol.asyncDispose]();
      }
    });
  },
);

it.each([
  [anthropicWire, openaiResponsesWire],
  [openaiResponsesWire, anthropicWire],
  [openaiChatWire, anthropicWire],
  [aiSdkWire, openaiChatWire],
])('keeps the reasoning of $name to itself when another model goes on', async (former, next) => {
  const server = await startServer(stream(former.say(thinking)), stream(former.say(greeting)));
  const other = await startServer(stream(next.say(greeting)));
  try {
    const { agent } = await openAgent([], { driver: former.create(server.url), tools: [look] });
    const session = await agent.create();
    await ask(session, 'How is it?');
    expect(await session.switchModel(next.create(other.url))).toEqual({
      type: 'switched',
      wasCompacted: false,
    });
    expect(await ask(session, 'And now?')).toMatchObject({ type: 'completed' });
    const sent = JSON.stringify(other.requests[0]?.body);
    for (const secret of ['c2lnbmF0dXJl', 'ZW5jcnlwdGVk', 'Two things.']) expect(sent).not.toContain(secret);
    for (const text of ['I look.', 'call_a', 'seen y', 'And now?']) expect(sent).toContain(text);
  } finally {
    await server[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
});

function messagesIn(body: Record<string, unknown>): readonly unknown[] {
  const messages = body['messages'] ?? body['input'] ?? body['prompt'];
  return Array.isArray(messages) ? messages : [];
}

/** Marks for the cache move on with each request; what is one text may then be a list of one. */
function unmarked(message: unknown): string {
  return JSON.stringify(message)
    .replaceAll(/,?"cache_control":\{[^}]*\}/g, '')
    .replaceAll(/\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g, '$1');
}
