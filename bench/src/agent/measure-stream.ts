import { streamText } from 'ai';
import { createAiSdkDriver } from '@throughline/drivers';
import { benchAgent, openFile, temporaryFolder } from './bench-agent.ts';
import { median, settle, timed } from '../engine/measure.ts';
import { playedDriver } from './played-driver.ts';
import { piece, playedModel } from './played-model.ts';
import type { ModelDriver } from '@throughline/ports';

/** Medians of all rounds. Times of the processor are those of the thread: others on the machine do not count. */
export interface StreamTimes {
  readonly ms: number;
  readonly processorMs: number;
  /** Longest time in which nothing else had its turn. */
  readonly blockedMs: number;
  /** The same, in time of the processor: without waiting for the disk, and for other processes. */
  readonly blockedProcessorMs: number;
}

interface StreamFigures {
  readonly parts: number;
  /** `streamText` alone. */
  readonly bare: StreamTimes;
  /** The whole loop over the same model, through the AI SDK, every part in a SQLite file. */
  readonly loop: StreamTimes;
  /** The whole loop over a driver that costs nothing. */
  readonly own: StreamTimes;
  /** Of the loop to the bare stream. */
  readonly ratio: number;
  readonly processorRatio: number;
  /** Of the loop over a driver that costs nothing. */
  readonly deltasPerSecond: number;
}

const rounds = 7;

/** One answer of so many pieces: with `streamText` alone, and stored by the whole loop. In turn; medians. */
export async function measureStream(parts: number): Promise<StreamFigures> {
  const contenders = { bare, loop: viaSdk, own: viaOwn };
  const all: Record<keyof typeof contenders, StreamTimes[]> = { bare: [], loop: [], own: [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const name of ['bare', 'loop', 'own'] as const) {
      await settle();
      const times = await contenders[name](parts);
      // The first round only warms up.
      if (round >= 0) all[name].push(times);
    }
  }
  const ratioOf = (key: 'ms' | 'processorMs'): number =>
    median(all.loop.map((times, index) => times[key] / (all.bare[index]?.[key] ?? Number.NaN)));
  const own = medians(all.own);
  return {
    parts,
    bare: medians(all.bare),
    loop: medians(all.loop),
    own,
    ratio: ratioOf('ms'),
    processorRatio: ratioOf('processorMs'),
    deltasPerSecond: parts / (own.ms / 1_000),
  };
}

function medians(all: readonly StreamTimes[]): StreamTimes {
  const of = (key: keyof StreamTimes): number => median(all.map((times) => times[key]));
  return {
    ms: of('ms'),
    processorMs: of('processorMs'),
    blockedMs: of('blockedMs'),
    blockedProcessorMs: of('blockedProcessorMs'),
  };
}

async function bare(parts: number): Promise<StreamTimes> {
  const model = playedModel(parts);
  return await watched(async () => {
    const { fullStream } = streamText({ model, prompt: 'Say much.', maxRetries: 0 });
    let chars = 0;
    for await (const part of fullStream) if (part.type === 'text-delta') chars += part.text.length;
    if (chars !== parts * piece.length) throw new Error(`Only ${chars} characters came.`);
  });
}

function viaSdk(parts: number): Promise<StreamTimes> {
  return loop(createAiSdkDriver({ languageModel: playedModel([1, parts]) }), parts);
}

function viaOwn(parts: number): Promise<StreamTimes> {
  const lengths = [1, parts];
  const driver = playedDriver(() => ({ pieces: Array.from({ length: lengths.shift() ?? 0 }, () => piece) }));
  return loop(driver, parts);
}

/** The second answer of a session: with the first one statements are prepared and code is loaded. */
async function loop(driver: ModelDriver, parts: number): Promise<StreamTimes> {
  using folder = temporaryFolder();
  await using store = await openFile(folder.path);
  await using agent = benchAgent(store, { driver });
  const session = await agent.create();
  await session.send('Say little.');
  await session.settled();
  let told = 0;
  session.subscribe(({ type, data }) => {
    if (type === 'llm:chunk' && data.isComplete !== true) told += data.content.length;
  });
  const measured = await watched(async () => {
    await session.send('Say much.');
    await session.settled();
  });
  if (told !== parts * piece.length) throw new Error(`Only ${told} characters were told.`);
  return measured;
}

async function watched(run: () => Promise<void>): Promise<StreamTimes> {
  let lastMs = performance.now();
  let lastProcessorMs = processorMs();
  let blockedMs = 0;
  let blockedProcessorMs = 0;
  const look = (): void => {
    blockedMs = Math.max(blockedMs, performance.now() - lastMs);
    blockedProcessorMs = Math.max(blockedProcessorMs, processorMs() - lastProcessorMs);
    lastMs = performance.now();
    lastProcessorMs = processorMs();
  };
  const probe = setInterval(look, 1);
  const before = processorMs();
  const ms = await timed(run);
  const spentMs = processorMs() - before;
  look();
  clearInterval(probe);
  return { ms, processorMs: spentMs, blockedMs, blockedProcessorMs };
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
