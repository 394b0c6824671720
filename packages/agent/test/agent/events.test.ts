import { ask, call, dataOf, look, openAgent, record, typesOf } from './agent-bench.ts';
import { expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { eventDriver, ends, says } from './event-driver.ts';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentEvent, AgentSession } from '../../src/index.ts';

/** All events after a number that there are so far. */
async function readFrom(session: AgentSession, after: number): Promise<readonly AgentEvent[]> {
  const controller = new AbortController();
  const reading = collect(session, { after, signal: controller.signal });
  await rest();
  controller.abort();
  return await reading;
}

async function collect(
  session: AgentSession,
  options: { readonly after?: number; readonly signal: AbortSignal },
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of session.events(options)) events.push(event);
  return events;
}

/** What a client has that puts pieces together and believes a whole. */
function textsIn(events: readonly AgentEvent[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { messageId, part, content, isComplete } of dataOf(events, 'llm:chunk')) {
    const key = `${messageId}.${part}`;
    texts.set(key, isComplete === true ? content : `${texts.get(key) ?? ''}${content}`);
  }
  return texts;
}

it('publishes an event only when it is stored, in the order of its number', async () => {
  const { agent, store } = await openAgent([{ text: ['a', 'b'], calls: [call('c')] }, { text: 'ok' }], {
    tools: [look],
  });
  const session = await agent.create();
  const stored: Promise<boolean>[] = [];
  const seqs: number[] = [];
  session.subscribe(({ seq, type }) => {
    seqs.push(seq);
    if (type === 'llm:chunk' || type === 'tool:output') return;
    stored.push(
      store.journal
        .after(session.id, seq - 1, 1)
        .then(([event]) => event?.seq === seq && event.type === type),
    );
  });
  await ask(session, 'Go');
  expect((await Promise.all(stored)).every(Boolean)).toBe(true);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(new Set(seqs).size).toBe(seqs.length);
});

it('leaves the session free for whoever is told that its run has ended', async () => {
  const { agent } = await openAgent([{ text: 'a' }, { text: 'b' }]);
  const session = await agent.create();
  const ended = Promise.withResolvers<void>();
  session.subscribe(({ type }) => {
    // A client in another process has it one turn later, at the earliest.
    if (type === 'run:end') setImmediate(() => ended.resolve());
  });
  await session.send('One');
  await ended.promise;
  expect(session.isRunning).toBe(false);
  expect(await session.send('Two')).toMatchObject({ isQueued: false });
  await session.settled();
});

it('tells those who follow all sessions what each of them says, one opened anew too', async () => {
  const { agent } = await openAgent([{ text: 'a' }, { text: 'b' }]);
  const told: string[] = [];
  let faults = 0;
  agent.subscribe(() => {
    faults += 1;
    throw new Error('A listener at fault.');
  });
  const subscription = agent.subscribe((id, { seq, type }) => told.push(`${id} ${seq} ${type}`));
  const [first, second] = [await agent.create(), await agent.create()];
  await ask(first, 'Go');
  await ask(second, 'Go');
  await first[Symbol.asyncDispose]();
  await (await agent.open(first.id)).rename('Anew');
  const { lastEventSeq } = await first.info();
  expect(told.at(-1)).toBe(`${first.id} ${lastEventSeq} session:updated`);
  expect(told.filter((line) => line.endsWith('run:end'))).toHaveLength(2);
  expect(new Set(told).size).toBe(told.length);
  expect(faults).toBe(1);
  subscription[Symbol.dispose]();
  await second.rename('Unheard');
  expect(told.at(-1)).toContain(first.id);
});

it('tells a new title, also while a run is busy', async () => {
  const { agent, driver } = await openAgent([{ text: 'Half', hangs: true }]);
  const session = await agent.create({ title: 'Old' });
  const events = record(session);
  await session.rename('Before');
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.rename('While');
  expect(dataOf(events, 'session:updated')).toEqual([{ title: 'Before' }, { title: 'While' }]);
  expect((await session.info()).title).toBe('While');
  expect(typesOf(await readFrom(session, 0)).filter((type) => type === 'session:updated')).toHaveLength(2);
});

it('tells text while it is being written, at most 100 ms late', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const driver = eventDriver([
    async function* () {
      yield* says('one').slice(0, 2);
      await gates[0].promise;
      yield { type: 'text-delta', id: 't', text: ' two' };
      await gates[1].promise;
      yield { type: 'text-end', id: 't' };
      yield ends();
    },
  ]);
  const { agent, time, store } = await openAgent([], { driver });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await time.advance(100);
  expect(dataOf(events, 'llm:chunk').map(({ content }) => content)).toEqual(['one']);
  expect((await store.history.page(session.id)).items.at(-1)).toMatchObject({
    isOpen: true,
    message: { parts: [{ text: 'one' }] },
  });
  gates[0].resolve();
  await rest();
  await time.advance(100);
  expect(dataOf(events, 'llm:chunk').map(({ content }) => content)).toEqual(['one', ' two']);
  gates[1].resolve();
  await session.settled();
  expect(dataOf(events, 'llm:chunk').at(-1)).toMatchObject({ content: 'one two', isComplete: true });
});

it('gives every part whole from whatever number one reads, while it is written and afterwards', async () => {
  const pieces = ['Once ', 'upon ', 'a ', 'time.'];
  const gate = { next: Promise.withResolvers<void>() };
  const driver = eventDriver([
    async function* () {
      yield { type: 'reasoning-start', id: 'r' };
      yield { type: 'reasoning-delta', id: 'r', text: 'hm' };
      yield { type: 'reasoning-end', id: 'r' };
      yield { type: 'text-start', id: 't' };
      for (const text of pieces) {
        yield { type: 'text-delta', id: 't', text };
        await gate.next.promise;
        gate.next = Promise.withResolvers();
      }
      yield { type: 'text-end', id: 't' };
      yield ends();
    },
  ]);
  const { agent, time } = await openAgent([], { driver });
  const session = await agent.create();
  await session.send('Go');
  const readers: Promise<readonly AgentEvent[]>[] = [];
  const controller = new AbortController();
  for (let piece = 0; piece < pieces.length; piece += 1) {
    await rest();
    await time.advance(60);
    const { lastEventSeq } = await session.info();
    for (let after = 0; after <= lastEventSeq; after += 1) {
      readers.push(collect(session, { after, signal: controller.signal }));
    }
    gate.next.resolve();
  }
  await session.settled();
  await rest();
  controller.abort();
  for (const events of await Promise.all(readers)) {
    const [text] = dataOf(events, 'llm:chunk').filter(
      ({ isComplete, chunkType }) => isComplete && chunkType === 'text',
    );
    expect(text?.content).toBe('Once upon a time.');
    for (const whole of textsIn(events).values()) expect(['hm', 'Once upon a time.']).toContain(whole);
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  }
  const { lastEventSeq } = await session.info();
  for (let after = 0; after <= lastEventSeq; after += 1) {
    const later = await readFrom(session, after);
    expect(dataOf(later, 'llm:chunk').every(({ isComplete }) => isComplete === true)).toBe(true);
  }
});

it('tells how the context fills while an answer is written, at most four times a second', async () => {
  const bench = await openAgent([], {
    driver: eventDriver([
      async function* () {
        yield { type: 'text-start', id: 't' };
        for (let piece = 0; piece < 40; piece += 1) {
          yield { type: 'text-delta', id: 't', text: 'x'.repeat(400) };
          await bench.time.advance(50);
        }
        yield { type: 'text-end', id: 't' };
        yield ends();
      },
    ]),
  });
  const session = await bench.agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const types = typesOf(events);
  const streaming = events.slice(types.indexOf('step:start'), types.indexOf('llm:response'));
  const told = streaming.filter(({ type }) => type === 'context:usage');
  // 40 pieces in two seconds.
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(told.length).toBeLessThanOrEqual(9);
  for (const [index, { atMs }] of told.entries())
    expect(atMs - (told[index - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(200);
  const said = dataOf(streaming, 'context:usage').map(({ byCategory }) => byCategory.assistant);
  expect(said).toEqual(said.toSorted((a, b) => a - b));
  // 4 characters a token.
  expect(said.at(-1)).toBeGreaterThan(3_000);
  expect(said.at(-1)).toBeLessThanOrEqual(4_000);
});

it('tells no more live output than anybody reads', async () => {
  const endless = defineTool({
    name: 'endless',
    description: 'Says very much while it works',
    input: z.object({}),
    reads: () => [],
    execute: (_, { emit }) => {
      for (let piece = 0; piece < 100; piece += 1) emit('x'.repeat(10_000));
      return 'done';
    },
  });
  const script = [{ calls: [call('a', 'endless', {})] }, { text: 'ok' }];
  const { agent } = await openAgent(script, { tools: [endless] });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const chars = dataOf(events, 'tool:output').reduce((sum, { delta }) => sum + delta.length, 0);
  expect(chars).toBe(200_000);
});

it('merges the live output of a call into its result', async () => {
  const loud = defineTool({
    name: 'loud',
    description: 'Says much while it works',
    input: z.object({}),
    reads: () => [],
    execute: (_, { emit }) => {
      for (let line = 0; line < 10; line += 1) emit(`line ${line}\n`);
      return 'done';
    },
  });
  const { agent } = await openAgent([{ calls: [call('a', 'loud', {})] }, { text: 'ok' }], { tools: [loud] });
  const session = await agent.create();
  const live = record(session);
  await ask(session, 'Go');
  expect(
    dataOf(live, 'tool:output')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe(Array.from({ length: 10 }, (_, line) => `line ${line}\n`).join(''));
  expect(typesOf(await readFrom(session, 0))).not.toContain('tool:output');
});

it('ends at once for a reader whose signal is aborted', async () => {
  const { agent } = await openAgent([{ text: 'ok' }]);
  const session = await agent.create();
  await ask(session, 'Go');
  expect(await collect(session, { signal: AbortSignal.abort() })).toEqual([]);
  for await (const event of session.events()) if (event.type === 'run:end') break;
});
