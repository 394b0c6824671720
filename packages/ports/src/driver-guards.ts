import type { Clock, Timer } from './machine.ts';
import type { DriverGuards, ModelDriver, StepRequest } from './model-driver.ts';
import type { FailureKind, ModelEvent, ModelFailure, StepError } from './model-event.ts';

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

/** How often a step is tried again, and what measures the waits. */
export interface RetryOptions extends RetryPolicy {
  /** Tells the `nextAtMs` of a `retry`. */
  readonly clock: Clock;
  /** Waits between two tries. */
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

/** How long a server may be silent. */
export interface IdleLimits {
  /** Until the answer begins: a server may read a long prompt, or think in silence, for minutes. @default 600 000 */
  readonly firstMs?: number;
  /** Between two events of the answer. @default 300 000 */
  readonly betweenMs?: number;
}

/** How long a server may be silent, and what measures it. */
export interface IdleTimeoutOptions extends IdleLimits {
  /** Measures the silence. */
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
  // The driver then ends at once, as cancelled, with all that began ended and the text kept.
  using silence = new Silence(timer, () => stop.abort());
  let limitMs = firstMs;
  try {
    for (;;) {
      if (!stop.signal.aborted) silence.begin(limitMs);
      const result = await iterator.next();
      silence.end();
      if (result.done === true) return;
      yield stop.signal.aborted ? timedOut(result.value, limitMs) : result.value;
      if (!stop.signal.aborted && !before.has(result.value.type)) limitMs = betweenMs;
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Tells when nothing has come for too long. Most events of a stream lie ready: a timer is set only where one is still
 * waited for when the event loop has gone round, because a timer for each would cost more than reading it.
 */
class Silence implements Disposable {
  readonly #timer: Timer;
  readonly #onTooLong: () => void;
  /** How long may be waited for what comes next. */
  #limitMs: number | undefined;
  #timing: AbortController | undefined;
  #isPlanned = false;

  constructor(timer: Timer, onTooLong: () => void) {
    this.#timer = timer;
    this.#onTooLong = onTooLong;
  }

  begin(limitMs: number): void {
    this.#limitMs = limitMs;
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#look());
  }

  end(): void {
    this.#limitMs = undefined;
    // With a reason of its own: else each costs an error with a stack trace, more than all the rest of it.
    this.#timing?.abort('heard');
    this.#timing = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #look(): void {
    this.#isPlanned = false;
    if (this.#limitMs === undefined) return;
    const timing = new AbortController();
    this.#timing = timing;
    void this.#timer.wait(this.#limitMs, timing.signal).then((how) => {
      if (how === 'elapsed' && this.#timing === timing) this.#onTooLong();
    });
  }
}

function timedOut(event: ModelEvent, limitMs: number): ModelEvent {
  if (event.type !== 'error') return event;
  const message = `nothing came for ${Math.round(limitMs / 1_000)} seconds`;
  const failure: ModelFailure = { kind: 'timeout', message, recoverable: true };
  return { ...event, failure };
}

/** Nobody has seen anything of the answer yet; an `end` is one, and so is seen. */
const unseen: ReadonlySet<ModelEvent['type']> = new Set([
  'response-start',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
]);
/** Told at once, and no part of the answer. */
const aside: ReadonlySet<ModelEvent['type']> = new Set(['retry', 'warning']);

/** Whether somebody who follows the stream has seen something of the answer by this event. */
export function isSeen({ type }: ModelEvent): boolean {
  return type !== 'error' && !aside.has(type) && !unseen.has(type);
}

const mostHeld = 1_000;

/**
 * Passes a stream on, with what shows nothing held back until something shows. Where the stream fails before that, and
 * `canRepeat` says so, what was held back is thrown away and the failure returned: the step can begin anew and nobody
 * has seen that it did.
 */
export async function* untilSeen(
  events: AsyncIterable<ModelEvent>,
  canRepeat: (failure: ModelFailure) => boolean,
): AsyncGenerator<ModelEvent, StepError | undefined, undefined> {
  const held: ModelEvent[] = [];
  let isSeen = false;
  for await (const event of events) {
    if (event.type === 'error' && !isSeen && canRepeat(event.failure)) return event;
    if (isSeen || aside.has(event.type)) yield event;
    else if (unseen.has(event.type) && held.length < mostHeld) held.push(event);
    else {
      isSeen = true;
      yield* held;
      yield event;
    }
  }
  return undefined;
}

/** The same driver, with another way to stream. Not by spreading: a driver may be of a class. */
export function wrapDriver(
  driver: ModelDriver,
  stream: ModelDriver['stream'],
  added: DriverGuards = {},
): ModelDriver {
  const { name, provider, model, codec, limits, abilities } = driver;
  const known = { ...(limits && { limits }), ...(abilities && { abilities }) };
  return { name, provider, model, codec, ...known, guards: { ...driver.guards, ...added }, stream };
}
