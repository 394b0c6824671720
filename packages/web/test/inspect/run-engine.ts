import {
  appendMessages,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import { agentCodec, budgetOf } from '@throughline/core/internal';
import type { Checkpoint, Policy } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import { namedPasses } from '../../src/inspect/source/named-passes.ts';
import type { Inspected, InspectedPass, InspectedSetup, InspectedStep } from '../../src/inspect/inspected.ts';

export interface EngineRun {
  readonly inspected: Inspected;
  /** What was sent at each step. */
  readonly sent: readonly (readonly unknown[])[];
}

interface RunOptions {
  readonly windowTokens?: number;
  readonly setup?: Partial<InspectedSetup>;
  /** Of the step with this index. */
  readonly stepOf?: (index: number) => Partial<InspectedStep>;
}

export function user(text: string): SessionMessage {
  return { id: '', role: 'user', parts: [{ type: 'text', text }] } as unknown as SessionMessage;
}

/** A call and its result. */
export function looked(number: number, text: string): SessionMessage[] {
  const callId = `c${number}`;
  const call = { type: 'call', callId, name: 'look', input: { number } };
  const result = { type: 'result', callId, name: 'look', content: [{ type: 'text', text }] };
  return [
    { id: '', role: 'assistant', parts: [{ type: 'text', text: `Look ${number}.` }, call] },
    { id: '', role: 'tool', parts: [result] },
  ] as unknown as SessionMessage[];
}

/** The engine at work on a history, one step before each answer; what an inspector would get of it, through JSON. */
export function runEngine(messages: readonly SessionMessage[], options: RunOptions = {}): EngineRun {
  const { windowTokens = 8_000, stepOf = () => ({}) } = options;
  const setup = setupOf(windowTokens, options.setup);
  const policy: Policy = {
    strategy: createStrategy(setup.strategy),
    budget: setup.budget,
    pins: setup.pins,
    ...(setup.pricing && { pricing: setup.pricing }),
  };
  const outside = { codec: agentCodec, system: setup.system, tools: setup.tools };
  let transcript = openTranscript(outside);
  let state = emptyState();
  const checkpoints: Checkpoint[] = [];
  const steps: InspectedStep[] = [];
  const sent: (readonly unknown[])[] = [];
  for (const [length, message] of messages.entries()) {
    const isNext = message.role === 'assistant' && messages[length - 1]?.role !== 'assistant' && length > 0;
    if (isNext) {
      const known = transcript.conversation.entries.length;
      transcript = appendMessages(transcript, messages.slice(known, length));
      const step = prepare(transcript, state, policy);
      if (step.type !== 'ready') throw new Error(`Expected a step that is ready, got ${step.type}.`);
      state = step.state;
      if (step.checkpoint) checkpoints.push(step.checkpoint);
      sent.push(renderView(transcript, step.view).messages.map((one) => one.message));
      steps.push({ ...plainStep(length, state.head), ...stepOf(steps.length) });
    }
  }
  const inspected: Inspected = copied(
    {
      source: 'file',
      title: 'A run of the engine',
      state,
      steps,
      setup,
      passes: namedPasses(
        checkpoints.map((checkpoint, index) => passOf(checkpoint, { index, head: state.head })),
      ),
    },
    openTranscript(outside, JSON.parse(JSON.stringify(messages)) as SessionMessage[]),
  );
  return { inspected, sent };
}

function copied(rest: Omit<Inspected, 'transcript'>, transcript: Inspected['transcript']): Inspected {
  return { ...(JSON.parse(JSON.stringify(rest)) as typeof rest), transcript };
}

function plainStep(historyLength: number, head: string | null): InspectedStep {
  const none = { provider: null, startedAtMs: null, durationMs: null, usage: null };
  return { seq: null, historyLength, head, model: 'model', ...none };
}

function passOf(
  checkpoint: Checkpoint,
  { index, head }: { readonly index: number; readonly head: string | null },
): Omit<InspectedPass, 'kind' | 'name'> {
  const { id, parent, reason, strategy, tokensBefore, tokensAfter } = checkpoint;
  const canUndo = id === head;
  return {
    id,
    parent,
    reason,
    strategy,
    tokensBefore,
    tokensAfter,
    checkpoint,
    canUndo,
    number: index + 1,
    summary: null,
    createdAtMs: null,
    isInForce: true,
    canRedo: false,
  };
}

function setupOf(windowTokens: number, more: Partial<InspectedSetup> = {}): InspectedSetup {
  const budget = { windowTokens };
  const { strategy = 'reactive-overflow' } = more;
  const { trigger, ...rule } = createStrategy(strategy);
  const { usableTokens, triggerTokens } = budgetOf({
    ...budget,
    triggerAt: (...of) => rule.triggerAt(...of),
  });
  return {
    model: 'model',
    format: 'openai-chat',
    system: 'Be brief.',
    tools: [],
    pins: [],
    strategy,
    trigger,
    isAutomatic: true,
    budget,
    windowTokens,
    usableTokens,
    triggerTokens,
    isWindowKnown: true,
    pricing: null,
    hasRecall: false,
    ...more,
  };
}
