import { createBuiltInTools, openWorkspace } from '@throughline/agent';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchAgent, openFile, temporaryFolder } from './bench-agent.ts';
import { median } from '../engine/measure.ts';
import { playedDriver } from './played-driver.ts';

interface CancelFigures {
  readonly cancels: number;
  /** From the moment of `cancel` until the end of the run is told: median and longest. */
  readonly bashMs: readonly [number, number];
  readonly streamMs: readonly [number, number];
}

const command = 'trap "" TERM; while true; do echo still here; sleep 0.01; done';

/** Cancels while a command runs that does not want to end, and while the model speaks. */
export async function measureCancel(cancels: number): Promise<CancelFigures> {
  using folder = temporaryFolder();
  await using store = await openFile(folder.path);
  let kind: 'bash' | 'stream' = 'bash';
  let step = 0;
  const driver = playedDriver(() => {
    step += 1;
    if (kind === 'stream') return { pieces: endless() };
    return { pieces: ['I run it.'], call: { callId: `call-${step}`, name: 'bash', input: { command } } };
  });
  await using agent = benchAgent(store, {
    driver,
    tools: createBuiltInTools({
      workspace: await openWorkspace(folder.path),
      bash: { sandbox: { type: 'none', reason: 'a bench' }, environment: process.env },
    }),
    approvals: { rules: { bash: 'allow' } },
  });
  const session = await agent.create();
  let endedAt = 0;
  session.subscribe(({ type }) => {
    if (type === 'run:end') endedAt = performance.now();
  });
  const times = { bash: [] as number[], stream: [] as number[] };
  for (kind of ['bash', 'stream'] as const) {
    for (let index = 0; index < cancels; index += 1) {
      await session.send(`Do it ${index}.`);
      await sleep(60 + 7 * (index % 10));
      const start = performance.now();
      await session.cancel();
      times[kind].push(endedAt - start);
    }
  }
  const pair = (all: readonly number[]): readonly [number, number] => [median(all), Math.max(...all)];
  return { cancels, bashMs: pair(times.bash), streamMs: pair(times.stream) };
}

async function* endless(): AsyncGenerator<string> {
  for (;;) {
    yield 'and more ';
    await sleep(2);
  }
}
