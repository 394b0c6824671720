import { setImmediate as giveWay } from 'node:timers/promises';
import { createUsageEmitter } from './emit-usage.ts';
import { endedBy } from '../stream/ended-by.ts';
import { isSeen } from '@throughline/system';
import { steadyDriver } from '../stream/steady-driver.ts';
import { StepRecorder } from '../stream/step-recorder.ts';
import type { RecordedStep } from '../stream/step-recorder.ts';
import type { RunContext } from './run-context.ts';
import type { StepRequest } from '@throughline/ports';

export interface StreamStepOptions {
  readonly request: StepRequest;
  /** Number of the step in its run, from 1. */
  readonly step: number;
  readonly signal: AbortSignal;
}

/** Timers and sockets get their turn at least so often, however fast a stream comes. */
const longestStretchMs = 10;

/** A step as it was stored, and whether anything was seen of it before it ended. */
export interface StreamedStep extends RecordedStep {
  readonly hasBegun: boolean;
}

/** Asks the model once, and stores and tells all it says. What it came to is stored when this resolves. */
export async function streamStep(
  runContext: RunContext,
  { request, step, signal }: StreamStepOptions,
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
    messageId: ids.nextId('message'),
    keepBlob: (bytes) => store.attachments.keep(sessionId, bytes),
  });
  emit('step:start', { step, provider: driver.provider, model: driver.model });
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
  await writer.commit();
  return { ...recorder.recorded, hasBegun };
}
