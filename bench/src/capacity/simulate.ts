interface Station {
  readonly cores: number;
  readonly serviceMs: number;
}

interface Waits {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of the time of all its cores. */
  readonly busy: number;
}

/**
 * Requests that come by chance, so many a second, to so many cores that each does one at a time: how long they wait. Each
 * takes as long as chance says, on average what was measured.
 */
export function simulateWaits(
  { cores, serviceMs }: Station,
  perSecond: number,
  random: () => number,
  requests = 20_000,
): Waits {
  const free = Array.from({ length: cores }, () => 0);
  const waits: number[] = [];
  let now = 0;
  let worked = 0;
  for (let request = 0; request < requests; request += 1) {
    now += exponential(1_000 / perSecond, random);
    const core = free.indexOf(Math.min(...free));
    const begin = Math.max(now, free[core] ?? 0);
    const takes = exponential(serviceMs, random);
    free[core] = begin + takes;
    worked += takes;
    waits.push(begin - now);
  }
  waits.sort((left, right) => left - right);
  const at = (share: number): number => waits[Math.floor(share * waits.length)] ?? NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), busy: worked / (cores * Math.max(now, ...free)) };
}

/** The most requests a second of which 95 in 100 wait no longer than this. */
function mostPerSecond(station: Station, longestP95Ms: number, randomOf: () => () => number): number {
  let low = 0;
  let high = (station.cores * 1_000) / station.serviceMs;
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    if (simulateWaits(station, middle, randomOf()).p95Ms <= longestP95Ms) low = middle;
    else high = middle;
  }
  return low;
}

/** What steps come to: each is so many parts, and another's may come in between. */
interface StepStation {
  readonly cores: number;
  readonly stepMs: number;
  readonly parts: number;
}

/** The most steps a second, where 95 in 100 of their parts wait no longer than this. */
export function mostStepsPerSecond(
  { cores, stepMs, parts }: StepStation,
  longestP95Ms: number,
  randomOf: () => () => number,
): number {
  return mostPerSecond({ cores, serviceMs: stepMs / parts }, longestP95Ms, randomOf) / parts;
}

const exponential = (mean: number, random: () => number): number => -mean * Math.log(1 - random());
