import { invalidOption, isOptions } from '../errors/check-options.ts';
import { parseState } from './state.ts';
import type { ContextState, LearnedWindow } from './state.ts';

const lifetimeMs = 24 * 60 * 60 * 1_000;

/**
 * Remembers the window that a provider's own error named. It only ever lowers: a larger one is ignored, because an
 * error says what was too much and not what would be enough. What was measured before stays.
 */
export function learnWindow(state: ContextState, learned: LearnedWindow): ContextState {
  parseState(state);
  if (!isOptions(learned)) throw invalidOption('learned', 'an object with windowTokens', learned);
  const { windowTokens } = learned;
  const known = state.learnedWindow?.windowTokens ?? Infinity;
  return Number.isFinite(windowTokens) && windowTokens >= 1 && windowTokens < known
    ? { ...state, learnedWindow: learned }
    : state;
}

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
