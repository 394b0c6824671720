import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--expose-gc');
// Code that has not run for some collections is thrown away. Between two runs of one contender there are a dozen that
// no process would make: each run, ours or a peer's, would begin with compiling.
setFlagsFromString('--no-flush-bytecode');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage until nothing more goes, so that a run does not pay for what another left behind. */
export function settle(): void {
  collectGarbage();
  collectGarbage();
}

/** Bytes of the heap in use after garbage is collected. */
export function heapBytes(): number {
  settle();
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
