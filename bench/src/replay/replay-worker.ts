import { openSessionReplays } from './session-replays.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReplayOptions } from './replay-options.ts';
import type { Order, Reply } from './run-tasks.ts';

// A thread of `run-tasks.ts`: one set of replays, one order at a time.
const replays = await openSessionReplays(workerData as ReplayOptions);

parentPort?.on('message', (order: Order) => {
  void carryOut(order).then((reply) => parentPort?.postMessage(reply));
});
parentPort?.postMessage({ type: 'open' } satisfies Reply);

async function carryOut(order: Order): Promise<Reply> {
  if (order.type === 'survey') return { type: 'survey', survey: replays.survey() };
  try {
    return { type: 'done', result: await replays.run(order.task) };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { type: 'failed', task: order.task, reason: text };
  }
}
