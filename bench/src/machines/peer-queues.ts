import { importPeer } from '../peers/import-peer.ts';
import type { Work } from './processes.ts';

type Name = 'pg-boss' | 'graphile-worker';

/** Puts jobs into a queue on Postgres and does them in the same process: what a run costs where nothing of it is kept. */
export async function openPeerQueue(name: Name, url: string): Promise<(work: Work) => Promise<void>> {
  return await peers[name](url);
}

interface Boss {
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  send(name: string, data: object): Promise<unknown>;
  work(name: string, options: object, handle: (jobs: readonly unknown[]) => Promise<void>): Promise<unknown>;
}

interface Graphile {
  readonly run: (options: object) => Promise<{ addJob(name: string, payload: object): Promise<unknown> }>;
  Logger: new (make: () => () => void) => unknown;
}

const peers: Readonly<Record<Name, (url: string) => Promise<(work: Work) => Promise<void>>>> = {
  async 'pg-boss'(url) {
    const { PgBoss } = (await importPeer('pg-boss')) as { readonly PgBoss: new (url: string) => Boss };
    const boss = new PgBoss(url);
    await boss.start();
    // A queue of its own for each process: what it puts in, it does.
    const queue = `jobs-${process.pid}`;
    await boss.createQueue(queue);
    const counted = counter();
    const options = { pollingIntervalSeconds: 0.5, batchSize: 50 };
    await boss.work(queue, options, async (jobs) => jobs.forEach(() => counted.done()));
    return async ({ runs }) => {
      const all = counted.until(runs);
      for (let run = 0; run < runs; run += 1) await boss.send(queue, { run });
      await all;
    };
  },
  async 'graphile-worker'(url) {
    const { run, Logger } = (await importPeer('graphile-worker')) as unknown as Graphile;
    const counted = counter();
    const task = `job${process.pid}`;
    const runner = await run({
      connectionString: url,
      concurrency: 8,
      pollInterval: 500,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      taskList: { [task]: () => Promise.resolve(counted.done()) },
    });
    return async ({ runs }) => {
      const all = counted.until(runs);
      for (let count = 0; count < runs; count += 1) await runner.addJob(task, { count });
      await all;
    };
  },
};

function counter() {
  let left = 0;
  let tell = (): void => {};
  return {
    done: (): void => {
      left -= 1;
      if (left === 0) tell();
    },
    until: (count: number): Promise<void> => {
      left = count;
      return new Promise((resolve) => (tell = resolve));
    },
  };
}
