import { anthropicCodec, aiSdkCodec } from '@throughline/core';
import { ask, call, dataOf, look, messagesOf, openAgent, record, storyOf, typesOf } from './agent-bench.ts';
import { calls, ends, eventDriver, says, thinks } from './event-driver.ts';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Codec } from '@throughline/core';
import type { EventStep } from './event-driver.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('stores an answer before its results, and the results before the next answer', async () => {
  const { agent, store } = await openAgent(
    [{ reasoning: 'hm', text: ['I ', 'look.'], calls: [call('a'), call('b')] }, { text: 'Fine.' }],
    { tools: [look] },
  );
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'How is it?')).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:How is it?',
    'assistant reasoning:hm text:I look. call:a call:b',
    'tool result:a=seen x',
    'tool result:b=seen x',
    'assistant text:Fine.',
  ]);
  expect(typesOf(events).filter((type) => type !== 'tool:state' && type !== 'llm:chunk')).toEqual([
    'run:start',
    'message:dequeued',
    'step:start',
    'llm:thinking',
    'llm:tool-call',
    'llm:tool-call',
    'llm:response',
    'step:end',
    'context:usage',
    'llm:tool-result',
    'llm:tool-result',
    'step:start',
    'llm:thinking',
    'llm:response',
    'step:end',
    'context:usage',
    'run:end',
  ]);
  const states = dataOf(events, 'tool:state').filter(({ callId }) => callId === 'a');
  expect(states.map(({ state }) => state)).toEqual(['pending', 'running', 'completed']);
  expect(dataOf(events, 'run:end')).toMatchObject([{ outcome: { type: 'completed', finish: 'stop' } }]);
});

it('sends each answer with its results in the next request', async () => {
  const { agent, driver } = await openAgent(
    [{ text: 'I look.', calls: [call('a')] }, { text: 'Fine.' }, { text: 'Bye.' }],
    { tools: [look], instructions: 'Be brief.' },
  );
  const session = await agent.create();
  await ask(session, 'How is it?');
  await ask(session, 'Thanks');
  expect(driver.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  expect(driver.requests[2]).toMatchObject({
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'How is it?' },
      { role: 'assistant', content: 'I look.' },
      { role: 'tool', content: 'seen x' },
      { role: 'assistant', content: 'Fine.' },
      { role: 'user', content: 'Thanks' },
    ],
  });
});

/** Runs these steps, with a tool that looks, and tells what is stored and sent. */
async function play(steps: readonly EventStep[], codec: Codec = anthropicCodec) {
  const driver = eventDriver(steps, codec);
  const bench = await openAgent([], { driver, tools: [look] });
  const session = await bench.agent.create();
  const events = record(session);
  const outcome = await ask(session, 'Go');
  const story = (await storyOf(bench.store, session)).slice(1);
  return { ...bench, driver, session, events, outcome, story };
}

it('keeps parts in the order in which they begin, also when they are open at the same time', async () => {
  const { story } = await play([
    [
      { type: 'reasoning-start', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', text: 'one ' },
      { type: 'reasoning-delta', id: 'r', text: 'hm ' },
      { type: 'text-delta', id: 't', text: 'two' },
      calls('a'),
      { type: 'reasoning-delta', id: 'r', text: 'so' },
      { type: 'text-end', id: 't' },
      { type: 'reasoning-end', id: 'r' },
      ...says('three', 't'),
      ends({ finish: 'tool-calls' }),
    ],
    [...says('Done'), ends()],
  ]);
  expect(story).toEqual([
    'assistant text:one two reasoning:hm so call:a text:three',
    'tool result:a=seen x',
    'assistant text:Done',
  ]);
});

it('runs calls again whose ids came in a former step', async () => {
  const { agent, store, driver } = await openAgent(
    [
      { calls: [call('a', 'look', { at: '1' })] },
      { calls: [call('a', 'look', { at: '2' })] },
      { text: 'ok' },
    ],
    { tools: [look], codec: anthropicCodec },
  );
  const session = await agent.create();
  await ask(session, 'Go');
  expect((await storyOf(store, session)).filter((line) => line.startsWith('tool'))).toEqual([
    'tool result:a=seen 1',
    'tool result:a=seen 2',
  ]);
  expect(JSON.stringify(driver.requests[2])).toMatch(/seen 1.*seen 2/s);
});

it('answers two calls of one step that have the same id', async () => {
  const { agent, store } = await openAgent(
    [{ calls: [call('a', 'look', { at: '1' }), call('a', 'look', { at: '2' })] }, { text: 'ok' }],
    { tools: [look] },
  );
  const session = await agent.create();
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).slice(2, 4)).toEqual([
    'tool result:a=seen 1',
    'tool result:a=seen 2',
  ]);
});

it('answers calls that nobody can run with what is wrong with them', async () => {
  const broken = [call('a', 'look', '{"at": '), call('b', 'nonsense', {}), call('c', 'look', { at: 7 })];
  const { agent, store, driver } = await openAgent([{ calls: broken }, { text: 'ok' }], { tools: [look] });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  const story = await storyOf(store, session);
  expect(story.slice(2, 5)).toEqual([
    expect.stringMatching(/^tool result:a!.*not valid JSON/),
    expect.stringMatching(/^tool result:b!There is no tool "nonsense"/),
    expect.stringMatching(/^tool result:c!.*at: /s),
  ]);
  expect(dataOf(events, 'llm:tool-result').map(({ success }) => success)).toEqual([false, false, false]);
  expect(JSON.stringify(driver.requests[1])).toContain('INVALID_JSON');
});

it('leaves calls to the provider that the provider runs', async () => {
  const search = { name: 'web_search', isProviderExecuted: true };
  const { story, outcome, driver } = await play([
    [
      calls('s', search),
      { type: 'provider-result', callId: 's', name: 'web_search', output: { hits: 2 }, isError: false },
      ...says('Two hits.'),
      ends(),
    ],
  ]);
  expect(outcome).toEqual({ type: 'completed', finish: 'stop' });
  expect(story).toEqual(['assistant call:s result:s={"hits":2} text:Two hits.']);
  expect(driver.requests).toHaveLength(1);
});

it('runs its own calls beside those of the provider', async () => {
  const { story } = await play([
    [
      calls('s', { name: 'web_search', isProviderExecuted: true }),
      calls('a'),
      ends({ finish: 'tool-calls' }),
    ],
    [...says('ok'), ends()],
  ]);
  expect(story).toEqual(['assistant call:s call:a', 'tool result:a=seen x', 'assistant text:ok']);
});

it('keeps a file that the model made beside the message, and sends it again', async () => {
  const base64 = png.toString('base64');
  const messages = [{ role: 'assistant', content: [{ type: 'file', mediaType: 'image/png', data: base64 }] }];
  const { store, session, driver } = await play(
    [
      [{ type: 'file', mediaType: 'image/png', base64 }, ends({ messages })],
      [...says('ok'), ends()],
    ],
    aiSdkCodec,
  );
  const [, answer] = await messagesOf(store, session);
  expect(answer?.parts).toMatchObject([
    { type: 'media', source: { url: expect.stringMatching(/^@blob:[0-9a-f]{64}$/) } },
  ]);
  expect(JSON.stringify(answer)).not.toContain(base64);
  await ask(session, 'More');
  expect(JSON.stringify(driver.requests[1])).toContain(base64);
});

it('keeps a file once of which the provider wants more back than the file', async () => {
  const base64 = png.toString('base64');
  const file = {
    type: 'file',
    mediaType: 'image/png',
    data: base64,
    providerOptions: { google: { thoughtSignature: 'c2ln' } },
  };
  const messages = [{ role: 'assistant', content: [file] }];
  const { store, session, driver, another } = await play(
    [
      [{ type: 'file', mediaType: 'image/png', base64 }, ends({ messages })],
      [...says('ok'), ends()],
      [...says('ok'), ends()],
    ],
    aiSdkCodec,
  );
  const [, answer] = await messagesOf(store, session);
  expect(JSON.stringify(answer)).not.toContain(base64);
  await ask(session, 'More');
  await ask(await (await another()).agent.open(session.id), 'Even more');
  for (const request of driver.requests.slice(1)) expect(request.messages[1]).toEqual(messages[0]);
});

it.each([
  ['nothing', []],
  [
    'only blanks it never says',
    [
      { type: 'text-start', id: 't' },
      { type: 'text-end', id: 't' },
    ] as const,
  ],
])('ends a run in which the model says %s', async (_, said) => {
  const { story, outcome, session, events } = await play([
    [...said, ends()],
    [...says('Yes?'), ends()],
  ]);
  expect(outcome).toEqual({ type: 'completed', finish: 'stop' });
  expect(story).toEqual([]);
  expect(typesOf(events)).toContain('step:end');
  expect(await ask(session, 'Are you there?')).toEqual({ type: 'completed', finish: 'stop' });
});

it('shows and stores reasoning that nothing follows, and does not send it', async () => {
  const { story, driver, session } = await play([
    [...thinks('hm'), ends()],
    [...says('ok'), ends()],
  ]);
  expect(story).toEqual(['assistant reasoning:hm']);
  await ask(session, 'Well?');
  expect(JSON.stringify(driver.requests[1])).not.toContain('hm');
});

it('asks again where the provider has paused, with what it said', async () => {
  const paused = [{ role: 'assistant', content: [{ type: 'text', text: 'So far' }] }];
  const { story, outcome, driver } = await play([
    [...says('So far'), ends({ finish: 'paused', finishReason: 'pause_turn', messages: paused })],
    [...says('Done'), ends()],
  ]);
  expect(outcome).toEqual({ type: 'completed', finish: 'stop' });
  expect(story).toEqual(['assistant text:So far', 'assistant text:Done']);
  expect(JSON.stringify(driver.requests[1])).toContain('So far');
});

it.each(['refusal', 'length', 'window-full', 'other'] as const)(
  'ends with the answer that ended by %s',
  async (finish) => {
    const { outcome, story } = await play([[...says('Half'), ends({ finish })]]);
    expect(outcome).toEqual({ type: 'completed', finish });
    expect(story).toEqual(['assistant text:Half']);
  },
);

it('runs the calls of an answer that was cut by its length behind them', async () => {
  const { outcome, story } = await play([
    [...says('I look'), calls('a'), ends({ finish: 'length' })],
    [...says('ok'), ends()],
  ]);
  expect(outcome).toEqual({ type: 'completed', finish: 'stop' });
  expect(story).toEqual(['assistant text:I look call:a', 'tool result:a=seen x', 'assistant text:ok']);
});

it('shows an image in a result to the model in the same run, and stores a reference to it', async () => {
  const camera = defineTool({
    name: 'camera',
    description: 'Takes a picture',
    input: z.object({}),
    reads: () => [],
    execute: () => ({
      content: [
        {
          type: 'media' as const,
          mediaType: 'image/png',
          source: { type: 'base64' as const, data: png.toString('base64') },
        },
      ],
    }),
  });
  const { agent, store, driver } = await openAgent(
    [{ calls: [call('a', 'camera', {})] }, { text: 'A dot.' }],
    {
      tools: [camera],
      codec: anthropicCodec,
    },
  );
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  expect(JSON.stringify(driver.requests[1])).toContain(png.toString('base64'));
  expect(JSON.stringify(await messagesOf(store, session))).not.toContain(png.toString('base64'));
  expect(JSON.stringify(dataOf(events, 'llm:tool-result'))).toMatch(/@blob:[0-9a-f]{64}/);
});
