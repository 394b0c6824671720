import { prepare, resume } from '@throughline/core';
import type {
  Answer,
  CannotFit,
  ContextState,
  ModelRequest,
  Policy,
  PrepareOptions,
  Ready,
  Transcript,
} from '@throughline/core';
import type { Driver } from '@throughline/ports';

export interface RunStepOptions extends PrepareOptions {
  /** Asked for prose. Without one every summary is the digest. */
  readonly driver?: Driver;
  readonly signal?: AbortSignal;
  /** Called before each request to the model, for display. */
  readonly onRequest?: (request: ModelRequest) => void;
}

/**
 * Runs the pure steps to the end and pays for each piece of prose the core asks for. The one loop of its kind: every
 * way in uses it. Until it resolves nothing has changed; a driver that breaks, or a cancelled signal, leaves the old
 * view or the digest, never a half-made one.
 */
export async function runStep<Message>(
  transcript: Transcript<Message>,
  state: ContextState,
  policy: Policy,
  options: RunStepOptions = {},
): Promise<Ready | CannotFit> {
  const { driver, signal, onRequest, ...prepareOptions } = options;
  const told: Policy = driver ? policy : { ...policy, summariser: { type: 'digest' } };
  let step = prepare(transcript, state, told, prepareOptions);
  while (step.type === 'model-needed') {
    onRequest?.(step.request);
    step = resume(transcript, step.paused, told, await ask(driver, step.request, signal));
  }
  return step;
}

/** An answer in every case: what a driver throws is a failure of the summary, not of the session. */
async function ask(driver: Driver | undefined, request: ModelRequest, signal?: AbortSignal): Promise<Answer> {
  if (isAborted(signal)) return cancelled;
  if (!driver) return { type: 'failed', cause: 'unavailable', message: 'no driver' };
  try {
    return await driver.complete(request, signal ? { signal } : {});
  } catch (error) {
    if (isAborted(signal)) return cancelled;
    return {
      type: 'failed',
      cause: 'unavailable',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

// A function, because the signal changes while the driver works.
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

const cancelled: Answer = { type: 'failed', cause: 'cancelled', message: 'cancelled' };
