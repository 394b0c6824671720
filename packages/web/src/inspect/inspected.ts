import type { Checkpoint, ContextState, Policy, Pricing, Transcript } from '@throughline/core';
import type { CompactionReason } from '@throughline/core/internal';

/** What the provider counted for one request. */
export interface StepUsage {
  /** The whole prompt, what came from the cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null` where it was not recorded. */
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
}

/** One request of a model. */
export interface InspectedStep {
  /** Its number in the trace of a session: the server has its exact request under it. */
  readonly seq: number | null;
  /** Messages of the history that there were. */
  readonly historyLength: number;
  /** The newest compaction in force; `undefined` where that was not recorded. */
  readonly head: string | null | undefined;
  /** Fingerprints of system text and tools, where they were recorded. */
  readonly systemHash?: string | undefined;
  readonly toolsHash?: string | undefined;
  readonly provider: string | null;
  readonly model: string | null;
  readonly startedAtMs: number | null;
  readonly durationMs: number | null;
  readonly usage: StepUsage | null;
}

/** `compaction`: messages went; `pruning`: parts of messages went; `truncation`: long results became shorter. */
export type PassKind = 'compaction' | 'pruning' | 'truncation';

/** A pass that changed what the model sees: its checkpoint as the engine made it, and what became of it. */
export interface InspectedPass {
  readonly id: string;
  /** 1 for the oldest, undone ones included. */
  readonly number: number;
  readonly kind: PassKind;
  /** Among those of its kind: "compaction 3". */
  readonly name: string;
  readonly parent: string | null;
  /** `at-source`: results were longer than their limits when they came, and nothing else was the matter. */
  readonly reason: CompactionReason | 'at-source';
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly summary: string | null;
  readonly createdAtMs: number | null;
  readonly isInForce: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly checkpoint: Checkpoint;
}

/** What every request begins with, and what passes are made with. */
export interface InspectedSetup {
  readonly model: string | null;
  /** Name of the format that the model's server takes. */
  readonly format: string;
  readonly system: string;
  /** As they are sent. */
  readonly tools: readonly unknown[];
  /** Ordinals. */
  readonly pins: readonly number[];
  readonly strategy: string;
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  readonly isAutomatic: boolean;
  readonly budget: Policy['budget'];
  readonly windowTokens: number;
  readonly usableTokens: number;
  readonly triggerTokens: number;
  /** `false`: nobody has said how large the window is. */
  readonly isWindowKnown: boolean;
  readonly pricing: Pricing | null;
  readonly hasRecall: boolean;
}

/**
 * All that the inspector knows, wherever it comes from: the full history, decoded and measured once, the changes as the
 * engine made them, and the steps. Never altered; whoever fetches more makes another one.
 */
export interface Inspected {
  /** `conversation`: a client has it through a proxy. */
  readonly source: 'session' | 'conversation' | 'file';
  readonly title: string;
  readonly transcript: Transcript;
  /** The newest; its changes are those of the next request. */
  readonly state: ContextState;
  /** Oldest first. */
  readonly passes: readonly InspectedPass[];
  /** Oldest first. */
  readonly steps: readonly InspectedStep[];
  readonly setup: InspectedSetup;
  /** The id of the conversation that this one goes on from, where it is one. */
  readonly before?: string | null | undefined;
  /** The ids of the conversations that go on from this one, where it is one. */
  readonly after?: readonly string[] | undefined;
}

/** Which request: a step by its index in `steps`, or the one that comes next. */
export type StepIndex = number | 'next';

/** Whether a client's instructions and tools are not known, as those of an earlier version's proxy are not. */
export function lacksInstructions({ source, setup }: Inspected): boolean {
  return source === 'conversation' && setup.system === '' && setup.tools.length === 0;
}
