import { recordUsage, renderView, rewind, stateAt } from '@throughline/core';
import {
  countRequest,
  measureRequest,
  rememberPlaces,
  replay,
  stateBehind,
} from '@throughline/core/internal';
import { lacksInstructions } from './inspected.ts';
import { policyOf } from './policy-of.ts';
import type { Checkpoint, ContextState, Transcript, View } from '@throughline/core';
import type { RenderedMessage, ViewItem } from '@throughline/core/types';
import type { Inspected, InspectedStep, StepIndex } from './inspected.ts';

/** The request of a step: what the engine shows of the history of that time, under the changes of that time. */
export interface RequestAt {
  /** `undefined`: the one that comes next. */
  readonly step: InspectedStep | undefined;
  readonly historyLength: number;
  readonly state: ContextState;
  /** The history of that time. */
  readonly transcript: Transcript;
  readonly view: View;
  /** What it is made of, in order. */
  readonly items: readonly ViewItem[];
  /** What is sent of it, in the format of the history, mended where that was needed. */
  readonly messages: readonly RenderedMessage<unknown>[];
  /** Estimated tokens of system text, tools and messages, as `throughline inspect` counts them. */
  readonly estimatedTokens: number;
}

/**
 * Tokens of a request as its provider would count them, by what the one before it was counted as; the estimate where
 * nobody has counted. The number by which a compaction is decided on.
 */
export function measuredTokens(inspected: Inspected, request: RequestAt): number {
  const { transcript, view, state, historyLength, estimatedTokens } = request;
  if (historyLength === 0 || !state.usage) return estimatedTokens;
  return measureRequest({ transcript, view, state, policy: policyOf(inspected) }).currentTokens;
}

/**
 * By what the estimate of a message is to be multiplied, so that the parts of a request come to what its provider counts.
 * What is counted and not known here, as the instructions that a log does not hold, is no share of its messages.
 */
export function shareScale(inspected: Inspected, request: RequestAt): number {
  const { estimatedTokens } = request;
  if (inspected.source === 'file' || lacksInstructions(inspected) || estimatedTokens === 0) return 1;
  return measuredTokens(inspected, request) / estimatedTokens;
}

/** A slider goes back and forth: that many requests are kept. */
const mostKept = 12;

const kept = new WeakMap<Inspected, Map<string, RequestAt>>();

/** The same answer for the same step as long as it is kept. @throws {RangeError} for a step that there is not */
export function requestAt(inspected: Inspected, index: StepIndex): RequestAt {
  const step = stepAt(inspected, index);
  const historyLength = step?.historyLength ?? inspected.transcript.conversation.entries.length;
  const state = step ? stateOf(inspected, step) : inspected.state;
  return viewOf(inspected, { key: `step ${index}`, step, historyLength, state });
}

/** The view of the history of now under a compaction, in force or not; `null`: the one before the first. */
export function viewBehind(inspected: Inspected, passId: string | null): RequestAt {
  const state = stateBehind(inspected.state, checkpointsOf(inspected), passId);
  const historyLength = inspected.transcript.conversation.entries.length;
  return viewOf(inspected, { key: `pass ${passId}`, step: undefined, historyLength, state });
}

/** The same, of the history that there was when the compaction was made. */
export function viewAtPass(inspected: Inspected, pass: Checkpoint, side: 'before' | 'after'): RequestAt {
  const checkpoints = checkpointsOf(inspected);
  const behind = stateBehind(inspected.state, checkpoints, side === 'after' ? pass.id : pass.parent);
  const historyLength = Math.min(pass.historyEnd, inspected.transcript.conversation.entries.length);
  const state = side === 'after' ? behind : stateAt(behind, checkpoints, historyLength);
  return viewOf(inspected, { key: `${side} ${pass.id}`, step: undefined, historyLength, state });
}

function checkpointsOf({ passes }: Inspected): readonly Checkpoint[] {
  return passes.map(({ checkpoint }) => checkpoint);
}

function stepAt({ steps }: Inspected, index: StepIndex): InspectedStep | undefined {
  if (index === 'next') return undefined;
  const step = steps[index];
  if (step) return step;
  throw new RangeError(`There are ${steps.length} steps, and none with the index ${index}.`);
}

/** The engine's own rule for the request of a step, as the server has it. */
function stateOf(inspected: Inspected, { head, historyLength }: InspectedStep): ContextState {
  const checkpoints = checkpointsOf(inspected);
  const behind = head === undefined ? inspected.state : stateBehind(inspected.state, checkpoints, head);
  return stateAt(behind, checkpoints, historyLength);
}

interface Wanted {
  readonly key: string;
  readonly step: InspectedStep | undefined;
  readonly historyLength: number;
  readonly state: ContextState;
}

function viewOf(inspected: Inspected, { key, step, historyLength, state }: Wanted): RequestAt {
  const known = kept.get(inspected) ?? new Map<string, RequestAt>();
  kept.set(inspected, known);
  const before = known.get(key);
  known.delete(key);
  const made = before ?? makeView(inspected, { step, historyLength, state });
  // The one used last is the last to go.
  known.set(key, made);
  for (const oldest of known.keys()) {
    if (known.size <= mostKept) break;
    known.delete(oldest);
  }
  return made;
}

function makeView(inspected: Inspected, { step, historyLength, state }: Omit<Wanted, 'key'>): RequestAt {
  const transcript = rewind(inspected.transcript, historyLength);
  // What our store keeps was made on these very messages, also where their media are addresses here.
  if (inspected.source !== 'conversation') rememberPlaces(state.changes, transcript.conversation.entries);
  const { view } = replay(transcript.conversation, state.changes);
  const { messages } = renderView(transcript, view);
  const estimatedTokens = countRequest(transcript, view);
  const counted = { ...state, usage: usageOf(inspected, { step, state, transcript, view }) };
  const items = [...view.items];
  return { step, historyLength, state: counted, transcript, view, items, messages, estimatedTokens };
}

/** What the provider has counted for this very request, where it is to be believed. */
function usageOf(
  { setup }: Inspected,
  { step, state, transcript, view }: Pick<RequestAt, 'step' | 'state' | 'transcript' | 'view'>,
): ContextState['usage'] {
  if (!step?.usage) return state.usage;
  const { inputTokens } = step.usage;
  const windowTokens = Math.max(setup.windowTokens, inputTokens);
  return recordUsage(transcript, { ...state, sentTokens: view.tokens }, { inputTokens, windowTokens }).usage;
}
