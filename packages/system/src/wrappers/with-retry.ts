import type { Clock, FailureKind, ModelDriver, ModelEvent, ModelFailure, Timer } from '@throughline/ports';
import { untilSeen } from './until-seen.ts';
import { wrapDriver } from './wrap-driver.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Tries in all. @default 5 */
  readonly attempts?: number;
  /** Before the second try; each further wait is twice as long. @default 2 000 */
  readonly firstDelayMs?: number;
  /** Longest wait of our own choice. @default 30 000 */
  readonly maxDelayMs?: number;
  /** A server that wants one to wait longer is not waited for: the step fails. @default 300 000 */
  readonly longestWaitMs?: number;
}

/** What waiting can mend. */
const waitable: ReadonlySet<FailureKind> = new Set(['rate', 'timeout', 'provider']);

/**
 * Tries a step again that failed for a passing reason, as long as nothing was seen of it: text that is on the screen is
 * not withdrawn. Waits as long as the server asks, else 2 s, 4 s, 8 s … up to 30 s, and tells each wait by a `retry`.
 * An abort ends the wait at once.
 */
export function withRetry(driver: ModelDriver, options: RetryOptions): ModelDriver {
  return wrapDriver(driver, (request, { signal }) =>
    retry(() => driver.stream(request, { signal }), options, signal),
  );
}

async function* retry(
  open: () => AsyncIterable<ModelEvent>,
  options: RetryOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { clock, timer, attempts = 5, longestWaitMs = 300_000 } = options;
  for (let attempt = 1; ; attempt += 1) {
    const canRepeat = (failure: ModelFailure): boolean =>
      attempt < attempts &&
      failure.recoverable &&
      waitable.has(failure.kind) &&
      (failure.retryAfterMs ?? 0) <= longestWaitMs;
    const failed = yield* untilSeen(open(), canRepeat);
    if (!failed) return;
    const delayMs = failed.failure.retryAfterMs ?? backOff(attempt, options);
    const nextAtMs = clock.nowMs() + delayMs;
    yield { type: 'retry', attempt: attempt + 1, delayMs, nextAtMs, reason: failed.failure };
    if ((await timer.wait(delayMs, signal)) === 'aborted') {
      const failure = { kind: 'cancelled', message: 'cancelled', recoverable: false } as const;
      yield { type: 'error', failure, messages: [] };
      return;
    }
  }
}

function backOff(attempt: number, { firstDelayMs = 2_000, maxDelayMs = 30_000 }: RetryOptions): number {
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
}
