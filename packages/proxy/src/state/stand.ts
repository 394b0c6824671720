import { parseState } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import type { ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';

/** Where a conversation stood after its last answer, beside the changes, which are in its passes. */
interface Stand {
  /** The pass that its changes are of: with another it says nothing. Absent: there was none. */
  readonly pass?: StoodOn | undefined;
  readonly state: ContextState;
  readonly usage: Usage | undefined;
  /** What was made smaller for the last refusal without a word was for nothing. */
  readonly isSizeRefuted?: boolean | undefined;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the same prompt. */
  readonly estimatedTokens?: number;
}

/** What tells a pass from all others of a history: where it stands, and which one there it is. */
interface StoodOn {
  readonly messages: number;
  readonly version: number;
}

interface Stood extends Stand {
  /** Name of the history that all have which go on behind it. */
  readonly answered: string;
  /** Names of its histories that were asked, the newest last. */
  readonly asked: readonly string[];
}

/** So many of the histories that were asked are written down, by so much of their names: users go back a few. */
const mostAsked = 64;
const askedCharacters = 12;

/** What is written down of a conversation: what the upstream has counted, and what that has taught. */
export function standJson({ state, usage, answered, asked, pass, isSizeRefuted }: Stood): Json {
  const { estimatedTokens, ...told } = usage ?? {};
  const stand = {
    answered,
    asked: asked.slice(-mostAsked).map((name) => name.slice(0, askedCharacters)),
    pass: pass ? { messages: pass.messages, version: pass.version } : null,
    state: { ...state, changes: [] },
    estimatedTokens,
    isSizeRefuted,
  };
  return JSON.parse(JSON.stringify({ ...told, stand })) as Json;
}

/** Lengths of the beginnings of a history that were asked in the conversation of which this was written down. */
export function askedIn(chain: readonly string[], written: Json): readonly number[] {
  const stand = isObject(written) ? written['stand'] : undefined;
  const asked = isObject(stand) ? stand['asked'] : undefined;
  const names = new Set<unknown>(Array.isArray(asked) ? asked : []);
  return chain.flatMap((name, index) => (names.has(name.slice(0, askedCharacters)) ? [index + 1] : []));
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

/** `undefined` where none was written down, or one of another version. */
export function readStand(written: Json): Stand | undefined {
  if (!isObject(written) || !isObject(written['stand'])) return undefined;
  const { pass, state, estimatedTokens, isSizeRefuted } = written['stand'];
  const { inputTokens, outputTokens } = written;
  const isCounted = typeof inputTokens === 'number' && typeof outputTokens === 'number';
  const place = placeIn(pass);
  if (pass !== null && !place) return undefined;
  try {
    const estimated = typeof estimatedTokens === 'number' ? { estimatedTokens } : {};
    const usage = isCounted ? { inputTokens, outputTokens, ...estimated } : undefined;
    return {
      ...(place && { pass: place }),
      state: parseState(state),
      usage,
      isSizeRefuted: isSizeRefuted === true,
    };
  } catch {
    return undefined;
  }
}

function placeIn(pass: Json | undefined): StoodOn | undefined {
  if (!isObject(pass)) return undefined;
  const { messages, version } = pass;
  return typeof messages === 'number' && typeof version === 'number' ? { messages, version } : undefined;
}

/**
 * The state of a history that goes on behind this stand; the state itself where another pass was found for it than the one
 * that the stand has: that one was made by somebody else, or later.
 */
export function stateBehind(state: ContextState, stand: Stand, pass: StoodOn | undefined): ContextState {
  const isSame = stand.pass?.messages === pass?.messages && stand.pass?.version === pass?.version;
  return isSame ? { ...stand.state, changes: state.changes } : state;
}
