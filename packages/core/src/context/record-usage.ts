import { checkTranscript } from './check-input.ts';
import { invalidOption, isOptions } from '../errors/check-options.ts';
import { parseState } from './state.ts';
import { observe } from '../tokens/calibration.ts';
import type { ContextState } from './state.ts';
import type { Transcript } from './transcript.ts';

export interface StepUsage {
  /** The provider's count of the whole prompt: input + cache read + cache write, counted once. */
  readonly inputTokens: number;
  readonly windowTokens: number;
  /** The server cut the prompt: its number says nothing about what was sent. */
  readonly wasCut?: boolean;
}

/** A provider's own fields may stand beside those that are read. */
function checkUsage(usage: unknown): void {
  const { inputTokens, windowTokens } = (isOptions(usage) ? usage : {}) as Partial<StepUsage>;
  if (typeof inputTokens !== 'number') throw invalidOption('usage.inputTokens', 'a number', inputTokens);
  if (typeof windowTokens !== 'number') throw invalidOption('usage.windowTokens', 'a number', windowTokens);
}

// No tokenizer makes so few of a text: part of the prompt was cut off, or the count leaves out what came from the cache.
const leastShare = 0.25;

/**
 * Remembers what the provider counted for the request that was sent last. Absurd usage (zero, no number, above twice
 * the window, below a quarter of the estimate) and usage of a cut prompt are not believed. Usage of the summariser must
 * not be handed in here.
 */
export function recordUsage(transcript: Transcript, state: ContextState, usage: StepUsage): ContextState {
  checkTranscript(transcript);
  parseState(state);
  checkUsage(usage);
  const { inputTokens, windowTokens } = usage;
  const { sentTokens } = state;
  if (sentTokens === null || usage.wasCut === true) return state;
  const estimateTokens = sentTokens + transcript.systemTokens + transcript.toolsTokens;
  const leastTokens = Math.max(Number.MIN_VALUE, leastShare * estimateTokens);
  const isBelievable = inputTokens >= leastTokens && inputTokens <= 2 * windowTokens;
  if (!isBelievable || !Number.isFinite(inputTokens)) return state;
  return {
    ...state,
    usage: { actualTokens: inputTokens, estimateTokens: sentTokens },
    calibration: observe(state.calibration, { estimateTokens, actualTokens: inputTokens, windowTokens }),
  };
}
