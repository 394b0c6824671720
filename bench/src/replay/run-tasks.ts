import { Worker } from 'node:worker_threads';
import type { ReplayOptions } from './replay-options.ts';
import type { Survey, Task, TaskResult } from './session-replays.ts';

export type Order = { readonly type: 'survey' } | { readonly type: 'run'; readonly task: Task };

export type Reply =
  | { readonly type: 'open' }
  | { readonly type: 'survey'; readonly survey: Survey }
  | { readonly type: 'done'; readonly result: TaskResult }
  | { readonly type: 'failed'; readonly task: Task; readonly reason: string };

export interface FailedTask {
  readonly task: Task;
  readonly reason: string;
}

export interface Ran {
  readonly survey: Survey;
  readonly results: readonly TaskResult[];
  readonly failed: readonly FailedTask[];
}

/** Replays everything there is to replay, on `options.workers` threads; results in the order of the survey. */
export async function runTasks(options: ReplayOptions, onProgress: (left: number) => void): Promise<Ran> {
  const crew = await Promise.all(Array.from({ length: options.workers }, () => hire(options)));
  const [first] = crew;
  if (!first) throw new Error('Expected at least one worker.');
  const surveyed = await first.ask({ type: 'survey' });
  if (surveyed.type !== 'survey') throw new Error('Expected a survey.');
  const { survey } = surveyed;
  const tasks = tasksOf(survey, options);
  const results: TaskResult[] = [];
  const failed: FailedTask[] = [];
  const waiting = [...tasks];
  await Promise.all(
    crew.map(async (worker) => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        const reply = await worker.ask({ type: 'run', task });
        if (reply.type === 'done') results.push(reply.result);
        if (reply.type === 'failed') failed.push(reply);
        onProgress(waiting.length);
      }
      await worker.dismiss();
    }),
  );
  const place = new Map(tasks.map((task, index) => [keyOf(task), index]));
  results.sort((left, right) => (place.get(keyOf(left)) ?? 0) - (place.get(keyOf(right)) ?? 0));
  return { survey, results, failed };
}

function keyOf({ session, contender, budgetTokens }: Task): string {
  return `${session}\n${contender}\n${budgetTokens}`;
}

/** The longest session first, and all that is to be done with it together: a thread plans a session once. */
function tasksOf({ sessions, contenders }: Survey, { budgets }: ReplayOptions): Task[] {
  return sessions
    .toSorted((left, right) => right.tokens * right.steps - left.tokens * left.steps)
    .flatMap((session) =>
      contenders.flatMap((contender) =>
        budgets
          .filter((budgetTokens) => session.skippedAt.every((one) => one.budgetTokens !== budgetTokens))
          .map((budgetTokens) => ({ session: session.name, contender: contender.name, budgetTokens })),
      ),
    );
}

interface Hired {
  ask(order: Order): Promise<Reply>;
  dismiss(): Promise<unknown>;
}

async function hire(options: ReplayOptions): Promise<Hired> {
  // Peers print notices of their own; the report is printed by nobody but us.
  const worker = new Worker(new URL('./replay-worker.ts', import.meta.url), {
    workerData: options,
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const next = (): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.removeAllListeners('message');
        worker.removeAllListeners('error');
        worker.removeAllListeners('exit');
      };
      worker.once('message', (reply: Reply) => {
        settle();
        resolve(reply);
      });
      worker.once('error', (error) => {
        settle();
        reject(error instanceof Error ? error : new Error(String(error)));
      });
      worker.once('exit', (code) => {
        settle();
        reject(new Error(`A worker ended with code ${code}.`));
      });
    });
  await next();
  return {
    ask(order) {
      const reply = next();
      worker.postMessage(order);
      return reply;
    },
    dismiss: () => worker.terminate(),
  };
}
