import { invalidOption } from '../errors/check-options.ts';
import { isObject, objectOf } from '../json/json.ts';
import { checkTranscript } from '../history/check-input.ts';
import { countMedia } from '../tokens/media-tokens.ts';
import { mediaShown } from '../stages/wire-size.ts';
import { parseState } from './state.ts';
import { replay } from '../changes/replay.ts';
import { observe, soundCalibration } from '../tokens/calibration.ts';
import type { TokenScale } from '../budget/measures.ts';
import type { Transcript } from '../history/transcript.ts';
import type { View } from '../changes/view.ts';
import type { ContextState, LearnedWindow } from './state.ts';

interface StepUsage {
  /** The provider's count of the whole prompt: input + cache read + cache write, counted once. */
  readonly inputTokens: number;
  readonly windowTokens: number;
  /** The server cut the prompt: its number says nothing about what was sent. */
  readonly wasCut?: boolean;
}

/** A provider's own fields may stand beside those that are read. */
function checkUsage(usage: unknown): void {
  const { inputTokens, windowTokens } = objectOf(usage);
  if (typeof inputTokens !== 'number') throw invalidOption('usage.inputTokens', 'a number', inputTokens);
  if (typeof windowTokens !== 'number') throw invalidOption('usage.windowTokens', 'a number', windowTokens);
}

// No tokenizer makes so few of a text: part of the prompt was cut off, or the count leaves out what came from the cache.
// Of images and files it may be true: what another model makes of them nobody knows.
const leastShare = 0.25;

/** What the images and files that a view shows are estimated at. */
export function mediaTokens(view: View, { media }: Pick<Transcript, 'media'>): number {
  return mediaShown(view).reduce((sum, part) => sum + countMedia(part, media), 0);
}

/**
 * Remembers what the provider counted for the request that was sent last. Absurd usage (zero, no number, above twice
 * the window, below a quarter of the estimate of all but images and files) and usage of a cut prompt are not believed.
 * Usage of the summariser must not be handed in here.
 */
export function recordUsage(transcript: Transcript, state: ContextState, usage: StepUsage): ContextState {
  checkTranscript(transcript);
  parseState(state);
  checkUsage(usage);
  const { inputTokens, windowTokens } = usage;
  const { sentTokens } = state;
  if (sentTokens === null || usage.wasCut === true) return state;
  const estimateTokens = sentTokens + transcript.systemTokens + transcript.toolsTokens;
  if (!Number.isFinite(inputTokens) || !(inputTokens > 0 && inputTokens <= 2 * windowTokens)) return state;
  const measured = { ...state, usage: { actualTokens: inputTokens, estimateTokens: sentTokens } };
  if (inputTokens < leastShare * estimateTokens) {
    const { view } = replay(transcript.conversation, state.changes);
    // It says nothing of how text is counted.
    return inputTokens < leastShare * (estimateTokens - mediaTokens(view, transcript)) ? state : measured;
  }
  const observation = { estimateTokens, actualTokens: inputTokens, windowTokens };
  return { ...measured, calibration: observe(state.calibration, observation) };
}

/**
 * Remembers the window that a provider's own error named. It only ever lowers: a larger one is ignored, because an
 * error says what was too much and not what would be enough. What was measured before stays.
 */
export function learnWindow(state: ContextState, learned: LearnedWindow): ContextState {
  parseState(state);
  if (!isObject(learned)) throw invalidOption('learned', 'an object with windowTokens', learned);
  const { windowTokens } = learned;
  const known = state.learnedWindow?.windowTokens ?? Infinity;
  return Number.isFinite(windowTokens) && windowTokens >= 1 && windowTokens < known
    ? { ...state, learnedWindow: learned }
    : state;
}

const lifetimeMs = 24 * 60 * 60 * 1_000;

/** Forgets a learned window after 24 hours, or at once when the real limit was discovered anew. */
export function forgetWindow(
  state: ContextState,
  now: { readonly atMs: number } | 'discovered',
): ContextState {
  const { learnedWindow } = state;
  if (!learnedWindow) return state;
  if (now === 'discovered') return { ...state, learnedWindow: null };
  const { atMs } = learnedWindow;
  // What a summary's refusal has taught has no time yet.
  if (atMs === undefined) return { ...state, learnedWindow: { ...learnedWindow, atMs: now.atMs } };
  return now.atMs - atMs >= lifetimeMs ? { ...state, learnedWindow: null } : state;
}

/**
 * How the estimate of the messages translates into the provider's count of the request. After a step with usage: the
 * provider's own number plus the estimate of what is new, so that the error of the rest is gone, whether it counted more
 * than was estimated or less.
 */
export function tokenScaleOf(
  { systemTokens, toolsTokens }: Transcript,
  { calibration, usage }: ContextState,
): TokenScale {
  const { a: slope, b: base } = soundCalibration(calibration);
  if (!usage) return { offsetTokens: base + slope * (systemTokens + toolsTokens), slope };
  const { actualTokens, estimateTokens } = usage;
  const offsetTokens = actualTokens - slope * estimateTokens;
  return offsetTokens < 0
    ? { offsetTokens, slope, leastSlope: actualTokens / estimateTokens }
    : { offsetTokens, slope };
}
