import { parseState } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import type { ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';

/** Where a conversation stood after its last answer, beside the changes, which are in its passes. */
export interface Stand {
  /** Of the history that was answered, with all that stands behind its last answer. */
  readonly headHash: string;
  /** So many changes were in force: with others it says nothing. */
  readonly changes: number;
  readonly state: ContextState;
  readonly usage: Usage | undefined;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the same prompt; unknown where another process has heard the answer. */
  readonly estimatedTokens?: number;
}

interface Stood {
  readonly state: ContextState;
  readonly usage: Usage | undefined;
  /** Name of the history up to its last answer. */
  readonly answered: string;
}

/** What is written down of a conversation: what the upstream has counted, and what that has taught. */
export function standJson({ state, usage, answered }: Stood): Json {
  const { changes, ...rest } = state;
  const { estimatedTokens: _, ...told } = usage ?? {};
  const stand = { answered, changes: changes.length, state: { ...rest, changes: [] } };
  return JSON.parse(JSON.stringify({ ...told, stand })) as Json;
}

/**
 * The name that a history has which goes on from what was written down: that of its last answer, because what stands
 * behind it may be another the next time. Where none is told, nothing was behind it.
 */
export function answeredIn(headHash: string, written: Json): string {
  const stand = isObject(written) ? written['stand'] : undefined;
  const answered = isObject(stand) ? stand['answered'] : undefined;
  return typeof answered === 'string' ? answered : headHash;
}

/** What tells a stand from another of its conversation: a history that one process has asked in vain another may ask again. */
export function standName({ headHash, usage }: Pick<Stand, 'headHash' | 'usage'>): string {
  return `${headHash} ${usage?.inputTokens ?? ''}`;
}

/** `undefined` where none was written down, or one of another version. */
export function readStand(headHash: string, written: Json): Stand | undefined {
  if (!isObject(written) || !isObject(written['stand'])) return undefined;
  const { changes, state } = written['stand'];
  const { inputTokens, outputTokens } = written;
  const isCounted = typeof inputTokens === 'number' && typeof outputTokens === 'number';
  if (typeof changes !== 'number') return undefined;
  try {
    const usage = isCounted ? { inputTokens, outputTokens } : undefined;
    return { headHash, changes, state: parseState(state), usage };
  } catch {
    return undefined;
  }
}

/** The state of a history that goes on behind this stand; the state itself where they do not belong together. */
export function stateBehind(state: ContextState, stand: Stand): ContextState {
  const { changes, head, checkpointCount } = state;
  const isSame =
    stand.changes === changes.length &&
    stand.state.head === head &&
    stand.state.checkpointCount === checkpointCount;
  return isSame ? { ...stand.state, changes } : state;
}
