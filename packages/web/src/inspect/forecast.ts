import { prepare, shouldCompact } from '@throughline/core';
import { countRequest, isRangeChange, measureRequest } from '@throughline/core/internal';
import { policyOf } from './policy-of.ts';
import { requestAt } from './request-at.ts';
import type { Change } from '@throughline/core/types';
import type { Inspected } from './inspected.ts';

type RangeAnchor = Extract<Change, { readonly type: 'range-compacted' }>['anchor'];

/** What the next pass would do, were it made with what there is now. */
interface NextPass {
  /** Messages from `first` up to, and without, `end` that a summary would stand for; `null` where nothing would be compacted. */
  readonly range: { readonly first: number; readonly end: number; readonly messages: number } | null;
  /** Places of what would be pruned, truncated or dropped. */
  readonly parts: readonly {
    readonly ordinal: number;
    readonly part: number;
    readonly savedTokens: number;
  }[];
  readonly tokensAfter: number;
}

export interface Forecast {
  /** Measured tokens of the next request. */
  readonly currentTokens: number;
  /** Above it the context is compacted. */
  readonly triggerTokens: number;
  /** Tokens that one step adds, as the newest steps have it; 0 where that is not known. */
  readonly tokensPerStep: number;
  readonly msPerStep: number | null;
  /** Steps until the trigger at that rate: 0 for the next one; `null` where it is never reached. */
  readonly stepsLeft: number | null;
  readonly msLeft: number | null;
  /** Why there is no number of steps. */
  readonly never: 'switched-off' | 'only-by-hand' | 'not-growing' | null;
  /** `null` where nothing can be gained. */
  readonly next: NextPass | null;
}

/** So many of the newest steps say how fast the context grows. */
const newestSteps = 20;

/** What goes next, and about when: the engine's own next pass, and the growth of the newest steps. */
export function forecast(inspected: Inspected): Forecast {
  const { setup } = inspected;
  const { view, transcript, state, historyLength } = requestAt(inspected, 'next');
  const policy = policyOf(inspected);
  const currentTokens =
    historyLength === 0
      ? countRequest(transcript, view)
      : measureRequest({ transcript, view, state, policy }).currentTokens;
  const { grownPerStep, msPerStep } = growthOf(inspected);
  // As the provider would count it.
  const tokensPerStep =
    historyLength === 0
      ? grownPerStep
      : measureRequest({ transcript, view, state, policy }, grownPerStep).currentTokens - currentTokens;
  const never = neverOf(inspected, tokensPerStep);
  const isDue = historyLength > 0 && never === null && shouldCompact(transcript, policy, state);
  const room = setup.triggerTokens - currentTokens;
  const stepsLeft = isDue ? 0 : never === null ? Math.max(0, Math.ceil(room / tokensPerStep)) : null;
  return {
    currentTokens,
    triggerTokens: setup.triggerTokens,
    tokensPerStep,
    msPerStep,
    stepsLeft,
    msLeft: stepsLeft === null || msPerStep === null ? null : stepsLeft * msPerStep,
    never,
    next: nextPass(inspected),
  };
}

function neverOf({ setup }: Inspected, tokensPerStep: number): Forecast['never'] {
  if (!setup.isAutomatic) return 'switched-off';
  if (setup.trigger === 'manual') return 'only-by-hand';
  return tokensPerStep > 0 ? null : 'not-growing';
}

interface Growth extends Pick<Forecast, 'msPerStep'> {
  /** Estimated. */
  readonly grownPerStep: number;
}

/** By what each step's history was longer: a compaction between two does not count. */
function growthOf({ steps, transcript }: Inspected): Growth {
  const newest = steps.slice(-newestSteps);
  const [first, last] = [newest[0], newest.at(-1)];
  if (!first || !last || newest.length < 2) return { grownPerStep: 0, msPerStep: null };
  const { tokensBefore } = transcript.conversation;
  const grown = (tokensBefore.at(last.historyLength) ?? 0) - (tokensBefore.at(first.historyLength) ?? 0);
  const between = newest.length - 1;
  const isTimed = first.startedAtMs !== null && last.startedAtMs !== null;
  return {
    grownPerStep: Math.max(0, grown / between),
    msPerStep: isTimed ? Math.max(0, ((last.startedAtMs ?? 0) - (first.startedAtMs ?? 0)) / between) : null,
  };
}

function nextPass(inspected: Inspected): NextPass | null {
  const { transcript, state, historyLength } = requestAt(inspected, 'next');
  if (historyLength === 0) return null;
  const step = prepare(transcript, state, policyOf(inspected), { reason: 'manual' });
  if (step.type !== 'ready' || !step.checkpoint) return null;
  const { changes } = step.checkpoint;
  const range = changes.find(isRangeChange)?.anchor;
  return {
    range: range ? rangeOf(range) : null,
    parts: changes.flatMap(placeOf),
    tokensAfter: step.report.tokens.final,
  };
}

/** What stays of a range, as the task in front of it, would not become part of the summary. */
function rangeOf({ first, end, lead, kept }: RangeAnchor): NonNullable<NextPass['range']> {
  const stays = new Set([...lead, ...kept]);
  const gone = Array.from({ length: end - first }, (_, at) => first + at).filter((one) => !stays.has(one));
  return { first: gone[0] ?? first, end: (gone.at(-1) ?? end - 1) + 1, messages: gone.length };
}

function placeOf(change: Change): NextPass['parts'] {
  if (isRangeChange(change)) return [];
  const { anchor, beforeTokens, afterTokens } = change;
  return [{ ordinal: anchor.ordinal, part: anchor.part, savedTokens: beforeTokens - afterTokens }];
}
