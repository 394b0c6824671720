import { createDemoDriver } from '@throughline/drivers';
import { validate } from '@throughline/core';
import type { DemoTurn } from '@throughline/drivers';
import type { ModelDriver, ModelEvent, ModelFailure, StepRequest, Timer } from '@throughline/ports';

export interface CheckedDriverOptions {
  readonly timer: Timer;
  readonly windowTokens: number;
  readonly next: (request: StepRequest) => DemoTurn;
  /** Stands in every request. */
  readonly task: string;
  /** Told of every request that is sent: `faults` is empty where it is as it must be. */
  readonly onRequest: (request: StepRequest, faults: readonly string[]) => void;
  /** Told when the model itself refuses a request. */
  readonly onRefused: (message: string) => void;
  /** What a bad day is like; absent: there is none. */
  readonly random?: () => number;
}

/** A demo model that plays `next`, looks at every request, and fails as servers do. */
export function createCheckedDriver(options: CheckedDriverOptions): ModelDriver {
  const { timer, windowTokens, next } = options;
  const demo = (request: StepRequest): ModelDriver =>
    createDemoDriver({ timer, windowTokens, wordDelayMs: 0, script: [next(request)] });
  const { codec, limits } = createDemoDriver({ timer, windowTokens });
  return {
    name: 'demo:worker',
    provider: 'demo',
    model: 'demo',
    codec,
    ...(limits ? { limits } : {}),
    stream: (request, { signal }) => {
      options.onRequest(request, faultsOf(request, options.task, codec));
      const trouble = options.random ? troubleOf(options.random) : undefined;
      if (trouble?.at === 0) return only({ type: 'error', failure: trouble.failure, messages: [] });
      return play(demo(request).stream(request, { signal }), { trouble, options, windowTokens });
    },
  };
}

function faultsOf({ messages }: StepRequest, task: string, codec: ModelDriver['codec']): readonly string[] {
  const entries = messages.map((message, index) => codec.decode(message, index));
  const violations = validate(entries, codec.rules, { ending: 'send' });
  const hasTask = messages.some((message) => JSON.stringify(message).includes(task));
  return [...violations.map((violation) => JSON.stringify(violation)), ...(hasTask ? [] : ['no task'])];
}

/** The stream breaks before its so many-th event, or after all it said. */
interface Trouble {
  readonly at: number;
  readonly failure: ModelFailure;
}

function troubleOf(random: () => number): Trouble | undefined {
  const dice = random();
  const at = random() < 0.5 ? 0 : 1 + Math.floor(random() * 60);
  if (dice < 0.03) return { at, failure: { kind: 'overflow', message: 'too long', recoverable: true } };
  if (dice < 0.04) {
    const failure = {
      kind: 'overflow',
      message: 'too long',
      recoverable: true,
      limitTokens: 15_000,
    } as const;
    return { at: 0, failure };
  }
  if (dice < 0.07) {
    const failure = {
      kind: 'rate',
      message: 'slowly',
      recoverable: true,
      status: 429,
      retryAfterMs: 3,
    } as const;
    return { at: 0, failure };
  }
  if (dice < 0.1) return { at, failure: { kind: 'provider', message: 'reset', recoverable: true } };
  if (dice < 0.11) return { at: 0, failure: { kind: 'bytes', message: 'too many', recoverable: true } };
  return undefined;
}

async function* only(event: ModelEvent): AsyncGenerator<ModelEvent, void, undefined> {
  yield event;
}

interface Play {
  readonly trouble: Trouble | undefined;
  readonly options: CheckedDriverOptions;
  readonly windowTokens: number;
}

async function* play(
  events: AsyncIterable<ModelEvent>,
  { trouble, options, windowTokens }: Play,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { random, timer, onRefused } = options;
  const isSlow = (random?.() ?? 1) < 0.05;
  const open = new Map<string, 'text' | 'reasoning'>();
  let count = 0;
  for await (const event of events) {
    const isLast = event.type === 'end' || event.type === 'error';
    if (trouble && (count >= trouble.at || isLast)) {
      for (const [id, kind] of open) yield { type: `${kind}-end`, id };
      yield { type: 'error', failure: trouble.failure, messages: [] };
      return;
    }
    count += 1;
    if (event.type === 'text-start') open.set(event.id, 'text');
    if (event.type === 'reasoning-start') open.set(event.id, 'reasoning');
    if (event.type === 'text-end' || event.type === 'reasoning-end') open.delete(event.id);
    if (event.type === 'error' && event.failure.kind !== 'cancelled') onRefused(event.failure.message);
    if (event.type === 'end' && (event.usage?.inputTokens ?? 0) > windowTokens)
      onRefused('beyond the window');
    if (isSlow) await timer.wait(2);
    yield event;
  }
}
