import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { setTimeout } from 'node:timers/promises';

setFlagsFromString('--expose-gc');
// Code that has not run for some collections is thrown away. Between two runs of one contender there are a dozen that
// no process would make: each run, ours or a peer's, would begin with compiling.
setFlagsFromString('--no-flush-bytecode');
const collectGarbage = runInNewContext('gc') as () => void;

// Sweeping goes on beside the program, on the second of two cores; it takes 50 to 100 ms of a heap with all peers in it.
const sweepingMs = 150;

/**
 * Collects garbage until nothing more goes, and waits until it is swept: a run pays neither for what another left behind
 * nor for taking it away.
 */
export async function settle(): Promise<void> {
  collect();
  await setTimeout(sweepingMs);
}

function collect(): void {
  collectGarbage();
  collectGarbage();
}

/** Bytes of the heap in use after garbage is collected. */
export function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** The value under which a share of the values lies, nearest rank. Not a number for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Slope of log(value) over log(size) by least squares: 1 is linear. */
export function logLogSlope(points: readonly { readonly size: number; readonly value: number }[]): number {
  const logs = points.map(({ size, value }) => [Math.log(size), Math.log(value)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const above = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Milliseconds of one call. */
export async function timed(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
