import type { Clock, FailureKind, ModelDriver, ModelEvent, ModelFailure, Timer } from '@throughline/ports';
import { untilSeen } from './until-seen.ts';
import { wrapDriver } from './wrap-driver.ts';

/** How often and how patiently a step is tried again that failed for a passing reason. */
export interface RetryPolicy {
  /** Tries in all. @default 5 */
  readonly attempts?: number;
  /** Before the second try; each further wait is twice as long. @default 2 000 */
  readonly firstDelayMs?: number;
  /** Longest wait of our own choice. @default 30 000 */
  readonly maxDelayMs?: number;
  /** A server that wants one to wait longer is not waited for: the step fails. @default 300 000 */
  readonly longestWaitMs?: number;
}

export interface RetryOptions extends RetryPolicy {
  readonly clock: Clock;
  readonly timer: Timer;
}

/** What waiting can mend. */
const waitable: ReadonlySet<FailureKind> = new Set(['rate', 'timeout', 'provider']);

/**
 * How long to wait before a step that failed so is tried again; `undefined` where it is not: no waiting helps, the
 * server wants one to wait too long, or these were all the tries.
 *
 * @param tries that failed so far, this one included
 */
export function retryDelayMs(
  failure: ModelFailure,
  tries: number,
  { attempts = 5, firstDelayMs = 2_000, maxDelayMs = 30_000, longestWaitMs = 300_000 }: RetryPolicy = {},
): number | undefined {
  const { kind, recoverable, retryAfterMs } = failure;
  if (tries >= attempts || !recoverable || !waitable.has(kind)) return undefined;
  if (retryAfterMs === undefined) return Math.min(firstDelayMs * 2 ** (tries - 1), maxDelayMs);
  return retryAfterMs > longestWaitMs ? undefined : retryAfterMs;
}

/**
 * Tries a step again that failed for a passing reason, as long as nothing was seen of it: text that is on the screen is
 * not withdrawn. Waits as long as the server asks, else 2 s, 4 s, 8 s … up to 30 s, and tells each wait by a `retry`.
 * An abort ends the wait at once.
 */
export function withRetry(driver: ModelDriver, options: RetryOptions): ModelDriver {
  return wrapDriver(
    driver,
    (request, { signal }) => retry(() => driver.stream(request, { signal }), options, signal),
    { hasRetry: true },
  );
}

async function* retry(
  open: () => AsyncIterable<ModelEvent>,
  options: RetryOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { clock, timer } = options;
  for (let attempt = 1; ; attempt += 1) {
    const delayOf = (failure: ModelFailure): number | undefined => retryDelayMs(failure, attempt, options);
    const failed = yield* untilSeen(open(), (failure) => delayOf(failure) !== undefined);
    if (!failed) return;
    const delayMs = delayOf(failed.failure) ?? 0;
    const nextAtMs = clock.nowMs() + delayMs;
    yield { type: 'retry', attempt: attempt + 1, delayMs, nextAtMs, reason: failed.failure };
    if ((await timer.wait(delayMs, signal)) === 'aborted') {
      const failure = { kind: 'cancelled', message: 'cancelled', recoverable: false } as const;
      yield { type: 'error', failure, messages: [] };
      return;
    }
  }
}
