import {
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  renderView,
  scriptAwareEstimator,
} from '@throughline/core';
import { flatMediaPricing } from '@throughline/replay';
import type { ChatMessage } from '../synthetic/chat-transcript.ts';
import type { ContextState, Policy, Ready, Step, Transcript } from '@throughline/core';

/** Windows are chosen so that every size has to be compacted, the smallest too. */
export function policyFor(strategy: string, windowTokens: number): Policy {
  return { strategy: createStrategy(strategy), budget: { windowTokens }, hasRecall: true };
}

export function open(messages: readonly ChatMessage[]): Transcript {
  return openTranscript(
    { codec: openaiChatCodec, estimator: scriptAwareEstimator, media: flatMediaPricing },
    messages,
  );
}

/** Decode, count, run the ladder, render: everything from wire messages to wire messages. */
export function coldPass(messages: readonly ChatMessage[], policy: Policy): Ready {
  const transcript = open(messages);
  const step = ready(prepare(transcript, emptyState(), policy));
  renderView(transcript, step.view);
  return step;
}

/** A session that goes on: each call adds messages and sends the next request. */
export interface Going {
  readonly transcript: Transcript;
  readonly state: ContextState;
}

export function goOn(
  { transcript, state }: Going,
  added: readonly ChatMessage[],
  policy: Policy,
): Going & { step: Ready } {
  const next = appendMessages(transcript, added);
  const step = ready(prepare(next, state, policy));
  renderView(next, step.view);
  return { transcript: next, state: step.state, step };
}

export function ready(step: Step): Ready {
  if (step.type === 'ready') return step;
  throw new Error(
    `Expected a ready step, got ${step.type}: the window is too small for the synthetic transcript.`,
  );
}
