import type { CannotFit, Codec, ContextState, Ready, Transcript } from '@throughline/core';
import type { PrepareOptions, RenderedMessage, RenderOptions, Repair } from '@throughline/core/types';
import {
  cannotFitText,
  ContextError,
  learnWindow,
  openTranscript,
  reconcile,
  recordUsage,
  renderView,
  withOutside,
} from '@throughline/core';
import type { BackgroundSummary } from '@throughline/ports';
import { createBackgroundSummary, runStep } from '@throughline/ports';
import type { AdapterOptions } from './adapter-options.ts';

/** What one request adds to the messages. */
export interface FitRequest {
  /** System text that travels outside the messages. */
  readonly system?: string;
  /** Tool schemas as they are sent. */
  readonly tools?: readonly unknown[];
  readonly reason?: PrepareOptions['reason'];
  /** `open`: the last calls may still be answered. @default 'send' */
  readonly ending?: RenderOptions['ending'];
  /** The window that an error of the provider named. */
  readonly limitTokens?: number;
  readonly signal?: AbortSignal;
}

/** A request that fits, and where the next one goes on: hand `after` to the next `fit`. */
export interface FittedStep {
  /** The messages to send. What nothing has touched is the very object that came in. */
  readonly messages: readonly unknown[];
  /** False: they are the messages that came in, one for one. */
  readonly isChanged: boolean;
  /** The same messages, and where each comes from. */
  readonly rendered: readonly RenderedMessage<unknown>[];
  readonly repairs: readonly Repair[];
  readonly step: Ready;
  readonly after: Snapshot;
}

/**
 * Follows the host to the messages it holds now, and makes them fit. The one path of every adapter: a host may hand in
 * its full history each time, or carry our last view forward; which of the two is told by content.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off;
 * `bad-wire-format` where there is no message to send.
 */
export async function fit(
  before: Snapshot,
  incoming: readonly unknown[],
  options: AdapterOptions,
  request: FitRequest = {},
): Promise<FittedStep> {
  const { background } = before;
  const { reason, limitTokens, signal } = request;
  const followed = reconcile(before.transcript, incoming, before.sent).transcript;
  const { system, tools } = request;
  const transcript = withOutside(followed, {
    ...(system !== undefined && { system }),
    ...(tools && { tools }),
  });
  const state =
    limitTokens === undefined ? before.state : learnWindow(before.state, { windowTokens: limitTokens });
  const step = await runStep(transcript, state, options.policy, {
    ...(options.driver && { driver: options.driver }),
    ...(background && { background }),
    ...(reason && { reason }),
    ...(signal && { signal }),
  });
  if (step.type === 'cannot-fit') throw cannotFit(step);
  options.onStep?.(step);
  const { ending = 'send' } = request;
  const { messages: rendered, repairs } = renderView(transcript, step.view, { ending });
  const messages = rendered.map(({ message }) => message);
  const isChanged = messages.length !== incoming.length || messages.some((one, at) => one !== incoming[at]);
  const { windowTokens } = step.report;
  const after = { ...before, transcript, state: step.state, sent: messages, windowTokens, isCounted: false };
  return { messages, isChanged, rendered, repairs, step, after };
}

function cannotFit(step: CannotFit): ContextError<'cannot-fit'> {
  const { usableTokens, requestTokens, parts, wire } = step;
  return new ContextError('cannot-fit', cannotFitText(step), {
    usableTokens,
    irreducibleTokens: requestTokens,
    parts,
    ...(wire && { wire }),
  });
}

/** One conversation between two requests. Immutable, but for the summary that may be in the making. */
export interface Snapshot {
  readonly transcript: Transcript;
  readonly state: ContextState;
  /** The messages of the last request, as the host was handed them; empty before the first. */
  readonly sent: readonly unknown[];
  readonly windowTokens: number;
  /** The provider's count of the last request is already in the state. */
  readonly isCounted: boolean;
  readonly background?: BackgroundSummary;
}

/** A conversation of which only the state is known. */
export function openSnapshot(codec: Codec, state: ContextState, options: AdapterOptions): Snapshot {
  const { policy, driver, estimator, media } = options;
  return {
    transcript: openTranscript({ codec, ...(estimator && { estimator }), ...(media && { media }) }),
    state,
    sent: [],
    windowTokens: policy.budget.windowTokens,
    isCounted: true,
    ...(driver && { background: createBackgroundSummary({ driver }) }),
  };
}

/** The conversation after the provider has counted its last request. A second count of the same request is left out. */
export function counted(snapshot: Snapshot, inputTokens: number | undefined): Snapshot {
  if (inputTokens === undefined || snapshot.isCounted) return snapshot;
  const { transcript, windowTokens } = snapshot;
  const state = recordUsage(transcript, snapshot.state, { inputTokens, windowTokens });
  return { ...snapshot, state, isCounted: true };
}
