import { setImmediate as giveWay } from 'node:timers/promises';
import { AbortableWait, isSeen } from '@throughline/ports';
import { StepRecorder } from '../stream/step-recorder.ts';
import { steadyDriver } from '../view/context-setup.ts';
import { createUsageEmitter } from './emit-usage.ts';
import type { ModelEvent, ModelFailure, StepRequest } from '@throughline/ports';
import type { StepRecord } from '@throughline/protocol/types';
import type { RecordedStep } from '../stream/step-recorder.ts';
import type { RunContext } from './run-context.ts';

interface StreamStepOptions {
  readonly request: StepRequest;
  /** Number of the step in its run, from 1. */
  readonly step: number;
  readonly signal: AbortSignal;
  /** What it takes to make the request anew. */
  readonly record: StepRecord;
}

/** Timers and sockets get their turn at least so often, however fast a stream comes. */
const longestStretchMs = 10;

/** A step as it was stored, and whether anything was seen of it before it ended. */
export interface StreamedStep extends RecordedStep {
  readonly hasBegun: boolean;
}

/** Asks the model once, and stores and tells all it says. What it came to is stored before anything else is done about it. */
export async function streamStep(
  runContext: RunContext,
  { request, step, signal, record }: StreamStepOptions,
): Promise<StreamedStep> {
  const { options, context, writer, sessionId, runId, emit } = runContext;
  const { driver } = context.setup;
  const { store, clock, ids } = options;
  const recorder = new StepRecorder({
    writer,
    clock,
    driver,
    runId,
    step,
    countsTokens: runContext.account?.countsTokens === true,
    messageId: ids.nextId('message'),
    keepBlob: (bytes, mediaType) => store.attachments.keep(sessionId, bytes, mediaType),
  });
  emit('step:start', { step, provider: driver.provider, model: driver.model, request: record });
  emit('llm:thinking', { step });
  const usage = createUsageEmitter(runContext);
  let stretchEndMs = clock.nowMs() + longestStretchMs;
  let hasBegun = false;
  const events = steadyDriver(driver, options).stream(request, { signal });
  for await (const event of endedBy(signal, events)) {
    hasBegun ||= isSeen(event);
    const kept = recorder.take(event);
    if (kept) await kept;
    if (clock.nowMs() < stretchEndMs) continue;
    usage.emit(recorder.parts.saidCharacters);
    await giveWay();
    stretchEndMs = clock.nowMs() + longestStretchMs;
  }
  if (!recorder.recorded) {
    throw new Error(`The stream of ${driver.name} ended without an end or an error, which drivers promise.`);
  }
  // The last answer of a run is stored with the end of it.
  if (!isLast(recorder.recorded)) await writer.commit();
  return { ...recorder.recorded, hasBegun };
}

/** Nothing is left to do about it. */
function isLast({ calls, end }: RecordedStep): boolean {
  return calls.length === 0 && end.type === 'end' && end.finish !== 'paused';
}

/** What a driver that listens needs to say how it ended; one that does not is left behind. */
const graceMs = 50;

const cancelled: ModelFailure = { kind: 'cancelled', message: 'cancelled', recoverable: false };

/** The events of a step; ends as cancelled soon after the signal is aborted, also where the driver does not listen. */
export async function* endedBy(
  signal: AbortSignal,
  stream: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const events = stream[Symbol.asyncIterator]();
  using late = new LateAbort(signal);
  using wait = new AbortableWait(late.signal);
  let isOver = false;
  try {
    for (;;) {
      const next = await wait.waitFor(events.next());
      // A step that has said how it ended may still be closing its connection.
      if (!next && !isOver) yield { type: 'error', failure: cancelled, messages: [] };
      if (!next || next.done === true) return;
      isOver ||= next.value.type === 'end' || next.value.type === 'error';
      yield next.value;
    }
  } finally {
    const returned = events.return?.().catch(() => undefined);
    // One that does not listen does not return either.
    if (!late.signal.aborted) await returned;
  }
}

/** A signal that is aborted a moment after another one. */
class LateAbort implements Disposable {
  readonly #signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #onAbort = (): void => {
    this.#timer = setTimeout(() => this.#late.abort(), graceMs);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
