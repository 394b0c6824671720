import { allowCall, openCall } from './allow-call.ts';
import { runCall, stateOf, untilAborted } from './run-call.ts';
import type { AllowedCall } from './allow-call.ts';
import type { RunCall } from './run-call.ts';
import type { CallResult, ExecuteContext, PreparedCall, ToolCall, Touches } from './tool.ts';

interface ExecutedCalls {
  /** One for each call, in call order. */
  readonly results: readonly CallResult[];
  /** Resolves when tools that were left behind by an abort are done too, which may be never. Never rejects. */
  readonly settled: Promise<void>;
}

interface Run {
  readonly call: ToolCall;
  readonly opened: AllowedCall;
  readonly allowed: Promise<AllowedCall>;
  done?: RunCall;
}

const nothing: Touches = { reads: [], writes: [] };

/**
 * Runs the calls of one step. Calls that only read run side by side; calls that touch the same place, one of them
 * writing, run in call order; a call that may touch anything runs alone. All approvals are asked for at once. Never
 * throws; an abort ends it within 100 ms, with what each call had put out.
 */
export async function executeCalls(
  calls: readonly ToolCall[],
  context: ExecuteContext,
): Promise<ExecutedCalls> {
  for (const call of calls) context.emit(stateOf(call, 'pending'));
  const runs = calls.map((call): Run => {
    const opened = openCall(call, context.tools);
    return { call, opened, allowed: allowCall(call, opened, context) };
  });
  const order = segmentsOf(
    runs.map(({ opened }) => (opened.type === 'allowed' ? opened.prepared.touches : noTouches)),
  );
  for (const segment of order) {
    const indices = segment.type === 'alone' ? [segment.index] : segment.indices;
    await runTogether(
      indices.flatMap((index) => runs[index] ?? []),
      context,
    );
  }
  const done = runs.flatMap((run) => run.done ?? []);
  return {
    results: done.map(({ result }) => result),
    settled: Promise.all(done.map(({ settled }) => settled)).then(() => {}),
  };
}

const noTouches = (): Promise<Touches> => Promise.resolve(nothing);

/** Each call waits for the earlier ones it must wait for, and then for its place among `maxParallel`. */
async function runTogether(runs: readonly Run[], context: ExecuteContext): Promise<void> {
  const touches = await Promise.all(
    runs.map(({ opened }) => untilAborted(touchesOf(opened), context.signal, () => nothing)),
  );
  const places = new Places(context.maxParallel ?? 8);
  const ends: Promise<void>[] = [];
  for (const [index, run] of runs.entries()) {
    const own = touches[index] ?? nothing;
    const before = ends.filter((_, earlier) => mustWait(touches[earlier] ?? nothing, own));
    ends.push(runOne(run, before, places, context));
  }
  await Promise.all(ends);
}

async function runOne(
  run: Run,
  before: readonly Promise<void>[],
  places: Places,
  context: ExecuteContext,
): Promise<void> {
  await Promise.all(before);
  const allowed = await untilAborted(run.allowed, context.signal, () => cancelled);
  await places.take();
  try {
    run.done = await runCall(run.call, allowed, context);
  } finally {
    places.giveBack();
  }
  context.emit(stateOf(run.call, run.done.result.state));
  await context.onResult?.(run.done.result);
}

async function touchesOf(opened: AllowedCall): Promise<Touches> {
  if (opened.type === 'refused' || opened.prepared.touches === 'anything') return nothing;
  try {
    return await opened.prepared.touches();
  } catch {
    // Arguments of which nobody can say what they touch: the call itself says what is wrong with them.
    return nothing;
  }
}

const cancelled: AllowedCall = {
  type: 'refused',
  reason: 'The call was cancelled before it was approved.',
  isCancelled: true,
};

/** So many may run at once; the others wait in line. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = Math.max(1, count);
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** Calls that may overlap in time, or one that runs alone; both by index. */
type Segment =
  | { readonly type: 'together'; readonly indices: readonly number[] }
  | { readonly type: 'alone'; readonly index: number };

/** Splits calls, in their order, at each one that may touch anything. */
function segmentsOf(touches: readonly PreparedCall['touches'][]): Segment[] {
  const segments: Segment[] = [];
  let indices: number[] = [];
  const close = (): void => {
    if (indices.length > 0) segments.push({ type: 'together', indices });
    indices = [];
  };
  for (const [index, one] of touches.entries()) {
    if (one !== 'anything') indices.push(index);
    else {
      close();
      segments.push({ type: 'alone', index });
    }
  }
  close();
  return segments;
}

/** Whether the later of two calls has to wait for the earlier one: both touch one place, and one of them writes it. */
function mustWait(earlier: Touches, later: Touches): boolean {
  return (
    meet(earlier.writes, later.writes) ||
    meet(earlier.writes, later.reads) ||
    meet(earlier.reads, later.writes)
  );
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => one === other || holds(one, other) || holds(other, one)));
}

/** A folder holds what lies below it. */
function holds(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
