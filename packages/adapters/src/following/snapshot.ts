import { openTranscript, recordUsage } from '@throughline/core';
import { createBackgroundSummary } from '@throughline/ports';
import type { Codec, ContextState, Transcript } from '@throughline/core';
import type { BackgroundSummary } from '@throughline/ports';
import type { AdapterOptions } from './adapter-options.ts';

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
