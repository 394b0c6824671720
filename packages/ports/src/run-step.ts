import { askDriver } from './ask-driver.ts';
import { prepare, resume } from '@throughline/core';
import type { BackgroundSummary } from './background-summary.ts';
import type {
  Answer,
  CannotFit,
  ContextState,
  ModelRequest,
  Paused,
  Policy,
  Ready,
  Step,
  Transcript,
} from '@throughline/core';
import type { PrepareOptions } from '@throughline/core/types';
import type { Driver } from './model-driver.ts';

/** What a step is run with, beside history, state and policy. */
export interface RunStepOptions extends Omit<PrepareOptions, 'written'> {
  /** Asked for prose. Without one code writes every summary. */
  readonly driver?: Driver;
  /** Writes summaries ahead of need: then nobody waits for one that is finished when space is needed. */
  readonly background?: BackgroundSummary;
  /** Once it is aborted no answer of a model is waited for: a step that needs one ends with the view as it was. */
  readonly signal?: AbortSignal;
  /** Called before each request to the model that the step waits for, for display. */
  readonly onRequest?: (request: ModelRequest, paused: Paused) => void;
}

/**
 * Runs the pure steps to the end and pays for each piece of prose the core asks for. The one loop of its kind: every
 * way in uses it. Until it resolves nothing has changed; a driver that breaks, or a cancelled signal, leaves the old
 * view or the summary that code writes, never a half-made one. A summary that is being written in the background is waited for instead
 * of asking for another one.
 */
export async function runStep<Message>(
  transcript: Transcript<Message>,
  state: ContextState,
  policy: Policy,
  options: RunStepOptions = {},
): Promise<Ready | CannotFit> {
  const { driver, background, signal, onRequest, ...asked } = options;
  const told: Policy = driver ? policy : { ...policy, summariser: { type: 'code' } };
  const begin = (): Step => {
    const written = background?.written;
    return prepare(transcript, state, told, { ...asked, ...(written ? { written } : {}) });
  };
  let step = begin();
  if (step.type === 'model-needed' && background?.isWriting === true) {
    await background.settled(signal);
    step = begin();
  }
  while (step.type === 'model-needed') {
    onRequest?.(step.request, step.paused);
    step = resume(transcript, step.paused, told, await answerTo(step.request, driver, signal));
  }
  if (background) keepGoing(background, step, { transcript, policy: told });
  return step;
}

async function answerTo(request: ModelRequest, driver?: Driver, signal?: AbortSignal): Promise<Answer> {
  return driver
    ? askDriver(driver, request, signal)
    : { type: 'failed', cause: 'unavailable', message: 'no driver' };
}

/** What was used or is of no use any more goes; what the step offers begins. */
function keepGoing(
  background: BackgroundSummary,
  step: Ready | CannotFit,
  { transcript, policy }: { readonly transcript: Transcript; readonly policy: Policy },
): void {
  if (step.report.background !== null || step.report.wasCompacted) background.drop();
  if (step.type === 'ready' && step.background) {
    background.start({ transcript, state: step.state, policy }, step.background);
  }
}
