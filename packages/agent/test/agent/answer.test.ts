import { ask, dataOf, look, openAgent, record } from './agent-bench.ts';
import { describe, expect, it } from 'vitest';
import { ends, eventDriver, says, thinks } from './event-driver.ts';
import { openaiChatCodec, openaiResponsesCodec } from '@throughline/core';
import { rest, until } from './virtual-time.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { AgentSession } from '../../src/index.ts';
import type { Json } from '@throughline/core/codec';

const thought = 'The user wants an answer. '.repeat(20);
const answer = 'It is forty-two, as everybody knows by now. '.repeat(20);
const said = [...thinks(thought), ...says(answer)];
const wire = { role: 'assistant', content: answer, reasoning_content: thought };

async function lastStored(session: AgentSession): Promise<string> {
  return JSON.stringify((await session.history()).items.at(-1));
}

function timesIn(text: string, part: string): number {
  return text.split(JSON.stringify(part).slice(1, -1)).length - 1;
}

describe('reasoning that a server of chat completions wants back', () => {
  it('is stored once and goes back as it came, from a new process, too', async () => {
    const driver = eventDriver([
      [...said, ends({ messages: [wire] })],
      [...says('ok'), ends()],
    ]);
    const { agent, another } = await openAgent([], { driver, in: 'file' });
    const session = await agent.create();
    await ask(session, 'Why?');
    const stored = await lastStored(session);
    expect([timesIn(stored, thought), timesIn(stored, answer)]).toEqual([1, 1]);
    await ask(session, 'And?');
    expect(driver.requests[1]?.messages[1]).toEqual(wire);
    const later = eventDriver([[...says('ok'), ends()]]);
    const { agent: next } = await another({ driver: later });
    await ask(await next.open(session.id), 'More');
    expect(later.requests[0]?.messages[1]).toEqual(wire);
  });

  it.each(['@part:0', '@part:1'])('goes back as it came where a model says %s', async (word) => {
    const odd = { ...wire, name: word };
    const driver = eventDriver([
      [...said, ends({ messages: [odd] })],
      [...says('ok'), ends()],
    ]);
    const { agent } = await openAgent([], { driver });
    const session = await agent.create();
    await ask(session, 'Why?');
    await ask(session, 'And?');
    expect(driver.requests[1]?.messages[1]).toEqual(odd);
  });

  it('goes to no other model', async () => {
    const driver = eventDriver([[...said, ends({ messages: [wire] })]]);
    const { agent } = await openAgent([], { driver });
    const session = await agent.create();
    await ask(session, 'Why?');
    const other = { ...scriptedModelDriver([{ text: 'ok' }], openaiChatCodec), name: 'other:one' };
    expect(await session.switchModel(other)).toMatchObject({ type: 'switched' });
    await ask(session, 'And?');
    expect(other.requests[0]?.messages[1]).toEqual({ role: 'assistant', content: answer });
  });
});

it('keeps reasoning that nobody wants back for people, and sends it never', async () => {
  const plain = { role: 'assistant', content: answer };
  const driver = eventDriver([
    [...said, ends({ messages: [plain] })],
    [...says('ok'), ends()],
  ]);
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  await ask(session, 'Why?');
  const [, stored] = (await session.history()).items;
  expect(stored?.message.parts[0]).toEqual({ type: 'reasoning', text: thought });
  expect(stored?.message.meta).toBeUndefined();
  // It costs nothing, either.
  const bare = eventDriver([[...says(answer), ends({ messages: [plain] })]]);
  const { agent: other } = await openAgent([], { driver: bare });
  const without = await other.create();
  await ask(without, 'Why?');
  const tokens = (await session.context()).currentTokens - (await without.context()).currentTokens;
  expect(Math.abs(tokens)).toBeLessThanOrEqual(2);
  await ask(session, 'And?');
  expect(driver.requests[1]?.messages[1]).toEqual(plain);
});

it('keeps reasoning that nobody may read, and sends it back', async () => {
  const items: readonly Json[] = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ];
  const driver = eventDriver(
    [
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-end', id: 'r', secret: { id: 'rs_1', encrypted_content: 'c2VjcmV0' } },
        ...says('Hi'),
        ends({ messages: items }),
      ],
      [...says('ok'), ends()],
    ],
    openaiResponsesCodec,
  );
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  await ask(session, 'Why?');
  const [, stored] = (await session.history()).items;
  expect(stored?.message.parts).toMatchObject([
    { type: 'reasoning', text: '', binding: 'content' },
    { text: 'Hi' },
  ]);
  await ask(session, 'And?');
  expect(JSON.stringify(driver.requests[1]?.messages)).toContain('c2VjcmV0');
});

it('stores who said it, and nothing that a store cannot take', async () => {
  const result = {
    type: 'provider-result',
    callId: 'p',
    name: 'web',
    output: 'a\u0000b',
    isError: false,
  } as const;
  const driver = eventDriver([
    [{ type: 'call', call: { ...providerCall, callId: 'p' } }, result, ...says('c\u0000d'), ends()],
  ]);
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  await ask(session, 'Go');
  const [, stored] = (await session.history()).items;
  expect(stored?.model).toBe('told:model');
  expect(stored?.message.parts.slice(1)).toMatchObject([{ content: [{ text: 'a␀b' }] }, { text: 'c␀d' }]);
});

const providerCall = {
  name: 'web',
  input: {},
  inputText: '{}',
  isInvalid: false,
  isProviderExecuted: true,
} as const;

it('tells which model has answered, when its first word came, and its thoughts apart', async () => {
  const bench = await openAgent([], {
    driver: eventDriver([
      async function* () {
        await bench.time.advance(700);
        yield* thinks('One', 'a');
        yield* thinks('Two', 'b');
        yield* says('Hi');
        yield ends({ response: { model: 'model-2026-01-01' } });
      },
    ]),
  });
  const session = await bench.agent.create();
  const events = record(session);
  await ask(session, 'Go');
  expect(dataOf(events, 'llm:response')).toMatchObject([
    { model: 'model-2026-01-01', content: 'Hi', reasoning: 'One\n\nTwo' },
  ]);
  expect(dataOf(events, 'step:end')).toMatchObject([{ firstTokenMs: 700 }]);
});

it('leaves calls that the provider ran to the provider, after a crash, too', async () => {
  const driver = eventDriver([
    async function* () {
      yield { type: 'call', call: { ...providerCall, callId: 'p' } };
      yield* says('So far').slice(0, 2);
      await new Promise(() => {});
    },
    [...says('ok'), ends()],
  ]);
  const { agent, store } = await openAgent([], { driver, tools: [look] });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await rest();
  await session.cancel();
  await session.resume();
  await session.settled();
  expect(dataOf(events, 'llm:tool-result')).toEqual([]);
  const { items } = await store.history.page(session.id);
  expect(items.filter(({ message }) => message.role === 'tool')).toEqual([]);
});

it('says an answer in its own words where a driver reports none', async () => {
  const driver = eventDriver([
    [...says('Hi'), ends({ messages: [] })],
    [...says('ok'), ends()],
  ]);
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  await ask(session, 'Go');
  await ask(session, 'And?');
  expect(driver.requests[1]?.messages).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'And?' },
  ]);
});
