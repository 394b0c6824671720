import type { ModelDriver, ModelEvent, ModelFailure, StepRequest, Timer } from '@throughline/ports';
import { wrapDriver } from './wrap-driver.ts';

/** How long a server may be silent. */
export interface IdleLimits {
  /** Until the answer begins: a server may read a long prompt, or think in silence, for minutes. @default 600 000 */
  readonly firstMs?: number;
  /** Between two events of the answer. @default 300 000 */
  readonly betweenMs?: number;
}

export interface IdleTimeoutOptions extends IdleLimits {
  readonly timer: Timer;
}

/**
 * Ends a step of which nothing comes any more, as a `timeout`; what came so far stays. The time that the reader takes
 * does not count.
 */
export function withIdleTimeout(driver: ModelDriver, options: IdleTimeoutOptions): ModelDriver {
  return wrapDriver(driver, (request, { signal }) => watch(driver, request, options, signal), {
    hasIdleLimit: true,
  });
}

/** No part of the answer. */
const before: ReadonlySet<ModelEvent['type']> = new Set(['response-start', 'retry', 'warning']);

async function* watch(
  driver: ModelDriver,
  request: StepRequest,
  { timer, firstMs = 600_000, betweenMs = 300_000 }: IdleTimeoutOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const stop = new AbortController();
  const events = driver.stream(request, { signal: AbortSignal.any([signal, stop.signal]) });
  const iterator = events[Symbol.asyncIterator]();
  let limitMs = firstMs;
  try {
    for (;;) {
      const next = iterator.next();
      // The driver then ends at once, as cancelled, with all that began ended and the text kept.
      if (!stop.signal.aborted && (await isLate(next, limitMs, timer))) stop.abort();
      const result = await next;
      if (result.done === true) return;
      yield stop.signal.aborted ? timedOut(result.value, limitMs) : result.value;
      if (!stop.signal.aborted && !before.has(result.value.type)) limitMs = betweenMs;
    }
  } finally {
    await iterator.return?.();
  }
}

async function isLate(next: Promise<unknown>, limitMs: number, timer: Timer): Promise<boolean> {
  const answered = new AbortController();
  const late = timer.wait(limitMs, answered.signal);
  try {
    return (await Promise.race([next, late])) === 'elapsed';
  } finally {
    answered.abort();
  }
}

function timedOut(event: ModelEvent, limitMs: number): ModelEvent {
  if (event.type !== 'error') return event;
  const message = `nothing came for ${Math.round(limitMs / 1_000)} seconds`;
  const failure: ModelFailure = { kind: 'timeout', message, recoverable: true };
  return { ...event, failure };
}
