import { createStrategy } from '@throughline/core';
import { defineTool } from '@throughline/agent';
import { z } from 'zod';
import { benchAgent, openFile, temporaryFolder } from './bench-agent.ts';
import { heapBytes, median, quantile, timed } from '../engine/measure.ts';
import { playedDriver } from './played-driver.ts';
import type { Agent, AgentSession } from '@throughline/agent';
import type { SessionMessage } from '@throughline/core/codec';
import type { PlayedStep } from './played-driver.ts';
import type { SessionStore } from '@throughline/ports';

interface LongSessionFigures {
  readonly messages: number;
  /** Store and session, until it can say how full it is. */
  readonly openMs: number;
  /** From the moment in which a message is sent until the model is asked. */
  readonly firstRequestMs: number;
  readonly recallP95Ms: number;
  readonly searchP95Ms: number;
  readonly heapMB: number;
}

interface StepFigures {
  readonly steps: number;
  /** What a step costs beside the model and the tool: median of the first and of the last tenth. */
  readonly firstStepsMs: number;
  readonly lastStepsMs: number;
  readonly compactions: number;
  /** Longest of all; it holds a compaction. */
  readonly longestStepMs: number;
  /** Of the heap, from the end of the first tenth to the end. */
  readonly growthMB: number;
}

const sessionId = 'bench';
const lookups = 60;
const bulk = 400;
const words = 'the of login module error test return value path file function index read write build'.split(
  ' ',
);

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.strictObject({ at: z.string() }),
  reads: () => [],
  execute: ({ at }) => lines(Number(at), 12),
});

/** A session of so many messages, compacted once; opened anew, and then worked on. */
export async function measureLongSession(
  messages: number,
  steps: number,
): Promise<{ readonly session: LongSessionFigures; readonly work: StepFigures }> {
  using folder = temporaryFolder();
  {
    await using store = await openFile(folder.path);
    await fill(store, messages);
    await using agent = agentFor(store, () => {});
    const session = await agent.open(sessionId);
    const { type } = await session.compact({ strategy: createStrategy('reactive-overflow') });
    if (type !== 'compacted') throw new Error(`The compaction came to ${type}.`);
  }
  const session = await measureOpened(folder.path, messages);
  await using store = await openFile(folder.path);
  return { session, work: await measureSteps(store, steps) };
}

async function measureOpened(folder: string, messages: number): Promise<LongSessionFigures> {
  const before = heapBytes();
  let askedAt = Number.NaN;
  const start = performance.now();
  await using store = await openFile(folder);
  await using agent = agentFor(store, () => {
    askedAt = performance.now();
  });
  const session = await agent.open(sessionId);
  await session.context();
  const openMs = performance.now() - start;
  const sentAt = performance.now();
  await session.send('Go on.');
  await session.settled();
  const firstRequestMs = askedAt - sentAt;
  const heapMB = (heapBytes() - before) / 1e6;
  const recallP95Ms = await p95((index) => session.recall(`m${(index * 7919) % messages}`));
  const searchP95Ms = await p95((index) => session.search(queryFor(index, messages), 20));
  return { messages, openMs, firstRequestMs, recallP95Ms, searchP95Ms, heapMB };
}

function agentFor(store: SessionStore, onAsked: () => void): Agent {
  const driver = playedDriver(() => {
    onAsked();
    return { pieces: ['All is done.'] };
  });
  return benchAgent(store, { driver, tools: [look], instructions: 'You look at things.' });
}

/** Goes on with the session for so many steps of one run. */
async function measureSteps(store: SessionStore, steps: number): Promise<StepFigures> {
  let step = 0;
  const times: number[] = [];
  let endedAt = 0;
  let firstHeap = 0;
  const tenth = Math.ceil(steps / 10);
  const next = (): PlayedStep => {
    if (endedAt > 0) times.push(performance.now() - endedAt);
    step += 1;
    if (step === tenth) firstHeap = heapBytes();
    const pieces = [`I look at ${step}: ${lines(step, 1)}`];
    const isLast = step > steps;
    endedAt = performance.now();
    return isLast
      ? { pieces }
      : { pieces, call: { callId: `call-${step}`, name: 'look', input: { at: String(step) } } };
  };
  const driver = playedDriver(next, { countsTokens: false });
  await using agent = benchAgent(store, {
    driver,
    tools: [look],
    instructions: 'You look at things.',
    limits: { maxSteps: steps + 1 },
  });
  const session: AgentSession = await agent.open(sessionId);
  const former = (await session.info()).compactionCount;
  await session.send('Look at everything.');
  const outcome = await session.settled();
  if (outcome?.type !== 'completed') throw new Error(JSON.stringify(outcome));
  const growthMB = (heapBytes() - firstHeap) / 1e6;
  return {
    steps,
    firstStepsMs: median(times.slice(0, tenth)),
    lastStepsMs: median(times.slice(-tenth)),
    compactions: (await session.info()).compactionCount - former,
    longestStepMs: Math.max(...times),
    growthMB,
  };
}

async function fill(store: SessionStore, messages: number): Promise<void> {
  await store.sessions.create({ id: sessionId });
  const lease = await store.leases.acquire(sessionId, 'bench', 600_000);
  if (!lease) throw new Error('expected a lease');
  for (let index = 0; index < messages; index += bulk) {
    const some = Array.from({ length: Math.min(bulk, messages - index) / 4 }, (_, turn) =>
      turnOf(index + 4 * turn),
    );
    await store.write(
      lease,
      some.flat().map((message) => ({ type: 'message', message })),
    );
  }
  await store.leases.release(lease);
}

/** A question, a call, its result and an answer: four messages. */
function turnOf(index: number): readonly SessionMessage[] {
  const callId = `call-${index}`;
  return [
    {
      id: `u${index}`,
      role: 'user',
      parts: [{ type: 'text', text: `What is in part ${index}? ${lines(index, 1)}` }],
    },
    {
      id: `a${index}`,
      role: 'assistant',
      parts: [
        { type: 'text', text: `I look at part ${index}.` },
        { type: 'call', callId, name: 'look', input: { at: String(index) } },
      ],
    },
    {
      id: `t${index}`,
      role: 'tool',
      parts: [{ type: 'result', callId, name: 'look', content: [{ type: 'text', text: lines(index, 12) }] }],
    },
    {
      id: `b${index}`,
      role: 'assistant',
      parts: [{ type: 'text', text: `In part ${index} is ${lines(index, 1)}` }],
    },
  ];
}

/** Lines of words that come again and names that do not. */
function lines(index: number, count: number): string {
  let seed = (index + 1) * 2_654_435_761;
  const word = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return words[seed % words.length] ?? '';
  };
  const line = (number: number): string =>
    `src/part-${index}/file-${number}.ts: ${Array.from({ length: 10 }, word).join(' ')}`;
  return Array.from({ length: count }, (_, number) => line(number)).join('\n');
}

/** In turn: in one turn, in none, in all of them. */
function queryFor(index: number, messages: number): string {
  const which = ((index * 7919) % messages) & ~3;
  return [`src/part-${which}/file-3`, `no-such-name-${which}`, 'login module'][index % 3] ?? '';
}

async function p95(act: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < lookups; index += 1) times.push(await timed(() => act(index)));
  return quantile(times, 0.95);
}
