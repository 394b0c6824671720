import {
  aiSdkCodec,
  anthropicCodec,
  estimateTokens,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  validate,
} from '@throughline/core';
import { ask, dataOf, messagesOf, openAgent, record } from './agent-bench.ts';
import { callFaults } from './call-faults.ts';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import {
  findWireFaults,
  honestSummariser,
  hostileSummarisers,
  scriptedModelDriver,
  everyday,
} from '@throughline/testkit';
import fc from 'fast-check';
import { setImmediate as giveWay } from 'node:timers/promises';
import { z } from 'zod';
import { whileTimePasses } from './virtual-time.ts';
import type { AgentEvent, AgentSession, RunOutcome } from '../../src/index.ts';
import type { Codec } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { JudgedFormat, ScriptedStep, Summariser } from '@throughline/testkit';
import type { Driver, StepRequest } from '@throughline/ports';

const codecs = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  'ai-sdk': aiSdkCodec,
} satisfies Record<string, Codec>;
const summarisers: Readonly<Record<string, Summariser>> = { honest: honestSummariser, ...hostileSummarisers };

type Call = { readonly kind: 'once' | 'again' | 'unknown' | 'broken' | 'sameId'; readonly size: number };

interface Said {
  readonly reasoning: boolean;
  readonly words: number;
  readonly calls: readonly Call[];
  readonly failure: 'overflow' | 'overflow-with-limit' | 'bytes' | 'provider' | null;
  readonly hasUsage: boolean;
}

interface Case {
  readonly format: keyof typeof codecs;
  readonly windowTokens: number;
  readonly summariser: string | null;
  readonly steps: readonly Said[];
  readonly turns: number;
  /** After so many events the run is cancelled, each once. */
  readonly cancels: readonly number[];
  /** The run is cancelled while the so-manieth question about a summary is open. */
  readonly cancelAtQuestion: number | null;
  readonly restarts: boolean;
  readonly isInFile: boolean;
}

const callOf: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom('once', 'once', 'once', 'again', 'unknown', 'broken', 'sameId'),
  size: fc.integer({ min: 1, max: 900 }),
});
const said: fc.Arbitrary<Said> = fc.record({
  reasoning: fc.boolean(),
  words: fc.constantFrom(0, 3, 3, 40, 400),
  calls: fc.oneof(
    { weight: 3, arbitrary: fc.array(callOf, { minLength: 1, maxLength: 4 }) },
    fc.constant([]),
  ),
  failure: fc.constantFrom(
    null,
    null,
    null,
    null,
    null,
    'overflow',
    'overflow-with-limit',
    'bytes',
    'provider',
  ),
  hasUsage: fc.boolean(),
});
const cases: fc.Arbitrary<Case> = fc.record({
  format: fc.constantFrom('openai-chat', 'openai-responses', 'anthropic', 'ai-sdk'),
  windowTokens: fc.integer({ min: 4_000, max: 64_000 }),
  summariser: fc.option(fc.constantFrom(...Object.keys(summarisers)), { freq: 3 }),
  steps: fc.array(said, { minLength: 1, maxLength: 30, size: 'max' }),
  turns: fc.integer({ min: 1, max: 4 }),
  cancels: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 3 })),
  cancelAtQuestion: fc.option(fc.integer({ min: 1, max: 6 })),
  restarts: fc.boolean(),
  isInFile: fc.nat({ max: 7 }).map((dice) => dice === 0),
});

const instructions = 'Be brief.';
const task = 'Put the foxes in order, task-4711, and leave none out.';

const picture = {
  type: 'media' as const,
  mediaType: 'image/png',
  source: {
    type: 'base64' as const,
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
};

/** What was run, by the number in its arguments. */
type Runs = Map<number, number>;

function toolOf(runs: Runs) {
  return defineTool({
    name: 'once',
    description: 'Says much, and counts how often it is run',
    input: z.object({ number: z.number(), size: z.number() }),
    reads: () => [],
    execute: async ({ number, size }, { emit }) => {
      runs.set(number, (runs.get(number) ?? 0) + 1);
      emit(`${number} begins\n`);
      await Promise.resolve();
      const text = Array.from({ length: size }, (_, word) => `fox ${number * 7 + word}`).join(' ');
      return size % 5 === 0 ? { content: [{ type: 'text' as const, text }, picture] } : text;
    },
  });
}

function inputOf({ kind, size }: Call, number: number): Json {
  return kind === 'broken' ? `{"number": ${number}, "si` : { number, size };
}

function stepOf(
  { reasoning, words, calls, failure, hasUsage }: Said,
  step: number,
  tokens: number,
): ScriptedStep {
  const text = Array.from({ length: words }, (_, word) => `word${step * 13 + word}`).join(' ');
  return {
    ...(reasoning && { reasoning: `I think about ${step}.` }),
    ...(text !== '' && { text: [text.slice(0, 5), text.slice(5)] }),
    calls: calls.map((call, index) => ({
      callId: call.kind === 'again' ? 'again' : `call-${step}-${call.kind === 'sameId' ? 0 : index}`,
      name: call.kind === 'unknown' ? 'nonsense' : 'once',
      input: inputOf(call, step * 10 + index),
    })),
    ...(hasUsage && { usage: { inputTokens: Math.round(tokens * 1.1), outputTokens: 20 } }),
    ...(failure === 'provider' && { failure: { kind: 'provider', message: 'reset', recoverable: true } }),
    ...(failure === 'bytes' && { failure: { kind: 'bytes', message: 'too many', recoverable: true } }),
    ...(failure === 'overflow' && { failure: { kind: 'overflow', message: 'too long', recoverable: true } }),
    ...(failure === 'overflow-with-limit' && {
      failure: {
        kind: 'overflow',
        message: 'too long',
        recoverable: true,
        limitTokens: 6_000,
        promptTokens: 7_000,
      },
    }),
  };
}

function faultsOf(request: StepRequest, codec: Codec, latest: string): readonly string[] {
  const entries = request.messages.map((message, index) => codec.decode(message, index));
  return [
    ...validate(entries, codec.rules, { ending: 'send' }).map((violation) => JSON.stringify(violation)),
    ...findWireFaults(codec.name as JudgedFormat, request.messages),
    ...(isSaid(request, task) ? [] : ['the task is missing']),
    ...(isSaid(request, latest) ? [] : ['the latest request is missing']),
  ];
}

/** More than what stands around the words of one message, less than any summary that quotes them. */
const mostAround = 160;

/** Whether the words are sent as a message of the user: a summary may tell them as well. */
function isSaid({ messages }: StepRequest, words: string): boolean {
  return messages.some((message) => {
    const text = JSON.stringify(message);
    const isUsers = (message as { readonly role?: string }).role === 'user';
    return isUsers && text.includes(words) && text.length <= words.length + mostAround;
  });
}

/** Whoever is told that a compaction begins is told how it ends, before anything else is asked of the model. */
function compactionFaults(events: readonly AgentEvent[]): readonly string[] {
  const ends = new Set(['context:compressed', 'compaction:cancelled', 'compaction:error']);
  const stops = new Set(['step:start', 'run:end', 'compaction:start']);
  let isOpen = false;
  return events.flatMap(({ type, seq }) => {
    const isLate = isOpen && stops.has(type);
    if (ends.has(type)) isOpen = false;
    if (type === 'compaction:start') isOpen = true;
    return isLate ? [`nobody says how the compaction before ${seq} ${type} has ended`] : [];
  });
}

it('keeps every promise, whatever the model says, the summariser writes and the user cancels', async () => {
  await fc.assert(fc.asyncProperty(cases, keepsPromises), { numRuns: 60, plugins: [everyday(20)] });
}, 240_000);

async function keepsPromises(given: Case): Promise<void> {
  const { format, windowTokens, summariser, steps, turns, cancels, cancelAtQuestion, restarts, isInFile } =
    given;
  const codec: Codec = codecs[format];
  const runs: Runs = new Map();
  const faults: string[] = [];
  const outcomes: (RunOutcome | null)[] = [];
  let usableTokens = Infinity;
  let asked = 0;
  let latest = task;
  const answer = (request: StepRequest): ScriptedStep => {
    faults.push(...faultsOf(request, codec, latest).map((fault) => `request ${asked}: ${fault}`));
    const { total } = estimateTokens(
      openTranscript({ codec, system: instructions, tools: request.tools ?? [] }, request.messages),
    );
    // A message costs a little more in one format than in another.
    const slack = 1.03 * usableTokens + 12 * request.messages.length;
    if (total > slack) faults.push(`request ${asked}: ${total} tokens, ${usableTokens} usable`);
    const step = steps[asked];
    asked += 1;
    return step ? stepOf(step, asked, total) : { text: 'Done.' };
  };
  const write = summariser === null ? undefined : summarisers[summariser];
  let questions = 0;
  const complete: Driver['complete'] = async (request) => {
    questions += 1;
    if (questions === cancelAtQuestion) void session.cancel();
    for (let turn = 0; turn < questions % 4; turn += 1) await giveWay();
    if (!write) throw new Error('nobody asked for summaries');
    return write(request);
  };
  const options = {
    in: isInFile ? 'file' : 'memory',
    tools: [toolOf(runs)],
    instructions,
    limits: { maxSteps: 20 },
    context: { windowTokens },
    ...(write && {
      summariser: {
        type: 'model',
        windowTokens,
        driver: { name: 'summariser', complete },
      },
    }),
  } satisfies Parameters<typeof openAgent>[1];
  const driver = scriptedModelDriver(
    Array.from({ length: 400 }, () => answer),
    codec,
  );
  let bench = await openAgent([], { ...options, driver });
  let session: AgentSession = await bench.agent.create();
  const { id } = session;
  let told = 0;
  const listen = (): void => {
    session.subscribe(({ type, data }) => {
      told += 1;
      if (cancels.includes(told)) void session.cancel();
      if (type === 'context:usage') usableTokens = (data as { limit: number }).limit;
    });
  };
  usableTokens = (await session.context()).limit;
  listen();
  const events = [record(session)];
  for (let turn = 0; turn < turns; turn += 1) {
    if (restarts && turn > 0) {
      await bench.agent[Symbol.asyncDispose]();
      bench = await bench.another({ ...options, driver });
      session = await bench.agent.open(id);
      listen();
      events.push(record(session));
    }
    usableTokens = (await session.context()).limit;
    if (turn > 0) latest = `And now ${turn}?`;
    outcomes.push(await whileTimePasses(bench.time, ask(session, latest)));
    for (let again = 0; again < 6 && outcomes.at(-1)?.type !== 'completed'; again += 1) {
      usableTokens = (await session.context()).limit;
      if (!(await session.resume())) break;
      outcomes.push(await whileTimePasses(bench.time, session.settled()));
    }
  }
  const history = await messagesOf(bench.store, session);
  faults.push(...callFaults(history));
  for (const [number, times] of runs) if (times > 1) faults.push(`${number} was run ${times} times`);
  const all = events.flat();
  const seqs = all.map(({ seq }) => seq);
  if (seqs.some((seq, index) => seq <= (seqs[index - 1] ?? 0))) faults.push('numbers of events do not go up');
  faults.push(...compactionFaults(all));
  const begun = dataOf(all, 'run:start').length;
  const ended = dataOf(all, 'run:end').length;
  if (begun !== ended || begun !== outcomes.length)
    faults.push(`${begun} runs begun, ${ended} ended, ${outcomes.length} asked for`);
  const known = new Set(['completed', 'cancelled', 'failed', 'limit', 'cannot-fit']);
  for (const outcome of outcomes)
    if (!outcome || !known.has(outcome.type)) faults.push(JSON.stringify(outcome));
  const reread = await bench.another({ ...options, driver });
  const stored = await (await reread.agent.open(id)).request();
  expect(stored).toEqual(await session.request());
  expect(faults).toEqual([]);
  await bench.agent[Symbol.asyncDispose]();
}
