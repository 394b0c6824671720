import {
  appendMessages,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  recordUsage,
  renderView,
  scriptAwareEstimator,
} from '@throughline/core';
import type { Contender, Run, Sent } from './contender.ts';
import type { ContextState, Policy, Ready, Transcript } from '@throughline/core';
import type { BenchSession } from './read-sessions.ts';
import { pricing } from '../pricing.ts';

export interface OursOptions {
  /** W: the window of the model. */
  readonly windowTokens: number;
  /** The replayed server reports T(C_k), as every server reports usage; `false`: the engine only estimates. */
  readonly reportsUsage: boolean;
  /** Every so many steps the engine is asked again, and once more with what it answered (M12); 0: never. */
  readonly checkEvery: number;
}

/** One of our strategies, without any model, through the public interface: append, prepare, render, carry the state. */
export function ours(strategy: string, options: OursOptions): Contender {
  return {
    name: `ours: ${strategy}`,
    start: (session, budgetTokens) => startRun(session, strategy, budgetTokens, options),
  };
}

function startRun(session: BenchSession, strategy: string, budgetTokens: number, options: OursOptions): Run {
  const { windowTokens, reportsUsage, checkEvery } = options;
  const policy: Policy = {
    strategy: createStrategy(strategy),
    budget: { windowTokens, thresholdTokens: budgetTokens },
    hasRecall: true,
  };
  let transcript: Transcript = openTranscript({
    codec: session.codec,
    estimator: scriptAwareEstimator,
    media: pricing,
  });
  let state: ContextState = emptyState();
  let known = 0;
  let steps = 0;
  return {
    codec: session.codec,
    step(length) {
      transcript = appendMessages(transcript, session.messages.slice(known, length));
      known = length;
      steps += 1;
      const step = prepare(transcript, state, policy);
      if (step.type !== 'ready') return undefined;
      const sent = render(transcript, step);
      const isChecked = checkEvery > 0 && steps % checkEvery === 0;
      const faults = isChecked ? faultsOf(session, length, { transcript, state, policy, step, sent }) : 0;
      state = step.state;
      return { ...sent, faults };
    },
    observe(sentTokens) {
      if (reportsUsage) state = recordUsage(transcript, state, { inputTokens: sentTokens, windowTokens });
    },
  };
}

function render(transcript: Transcript, step: Ready): Sent {
  const { messages } = renderView(transcript, step.view);
  return {
    messages: messages.map(({ message }) => message),
    written: new Set(messages.flatMap(({ source }, index) => (source === 'written' ? [index] : []))),
    isCompaction: step.checkpoint !== undefined,
  };
}

interface Asked {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly policy: Policy;
  readonly step: Ready;
  readonly sent: Sent;
}

/** The same bytes from fresh objects and a state that went through JSON; nothing new to do for what was just done. */
function faultsOf(
  session: BenchSession,
  length: number,
  { transcript, state, policy, step, sent }: Asked,
): number {
  const fresh = openTranscript(
    { codec: session.codec, estimator: scriptAwareEstimator, media: pricing },
    JSON.parse(JSON.stringify(session.messages.slice(0, length))) as unknown[],
  );
  const bytes = JSON.stringify(sent.messages);
  const again = prepare(fresh, JSON.parse(JSON.stringify(state)) as ContextState, policy);
  const isSame = again.type === 'ready' && JSON.stringify(render(fresh, again).messages) === bytes;
  const twice = prepare(transcript, step.state, policy);
  const isIdempotent = twice.type === 'ready' && JSON.stringify(render(transcript, twice).messages) === bytes;
  return (isSame ? 0 : 1) + (isIdempotent ? 0 : 1);
}
