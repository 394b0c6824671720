import { toActual } from '../budget/measures.ts';
import { changesNotIn } from '../changes/change.ts';
import { seenTokens } from '../changes/view.ts';
import { backgroundJob } from './background.ts';
import { fixedKey } from '../history/transcript.ts';
import { irreducible, isCrowded } from '../pass/irreducible.ts';
import { isTooBig, requestTokens, wireExcess } from '../pass/pass.ts';
import { hasRunLadder, reportOf } from '../pass/report-of.ts';
import { nothingTruncated } from '../pass/state.ts';
import { withScale } from '../pass/summariser-scale.ts';
import { nextOrdinal } from '../transcript/conversation.ts';
import { fingerprintEntry } from '../transcript/fingerprint.ts';
import { isUnloaded } from '../transcript/entry.ts';
import type { Change } from '../changes/change.ts';
import type { CannotFit, Checkpoint, Ready } from './step.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { Pass } from '../pass/pass.ts';
import type { CompactionReason } from '../pass/report.ts';
import type { ContextState, TruncationProgress } from '../pass/state.ts';

/** The end of a step. `reason` is present when a pass was made; without one only the user can ask for more room. */
export function finished(pass: Pass, reason?: CompactionReason): Ready | CannotFit {
  return isTooBig(pass) ? cannotFit(pass, reason === undefined) : ready(pass, reason);
}

/** The end of a step that can be sent. `reason` is present when a pass was made. */
export function ready(pass: Pass, reason?: CompactionReason): Ready {
  const { state, live, view } = pass;
  const changes = changesNotIn(live, state.changes);
  const retired = changesNotIn(state.changes, live);
  const checkpoint = checkpointOf(pass, reason, changes, retired);
  const background = reason ? undefined : backgroundJob(pass);
  const next: ContextState = {
    ...withScale(state, pass),
    changes: live,
    head: checkpoint?.id ?? state.head,
    checkpointCount: state.checkpointCount + (checkpoint ? 1 : 0),
    truncation: allTruncated(pass),
    sentTokens: view.tokens + pass.notesTokens,
    floorTokens: reason ? floorOf(pass) : state.floorTokens,
    askedEnd: reason ? askedEnd(pass) : state.askedEnd,
    isAutoCompactionPaused: state.isAutoCompactionPaused && !reason,
    crowdedKey: hasRunLadder(pass) && isCrowded(pass) ? fixedKey(pass.transcript) : state.crowdedKey,
    fixedKey: fixedKey(pass.transcript),
    offeredTokens: background ? requestTokens(pass) : reason ? null : state.offeredTokens,
  };
  return {
    type: 'ready',
    view,
    changes,
    ...(checkpoint ? { checkpoint } : {}),
    ...(background ? { background } : {}),
    state: next,
    report: reportOf(pass, { changes, retired }),
  };
}

function allTruncated({ transcript: { conversation } }: Pass): TruncationProgress {
  const last = conversation.entries.at(conversation.entries.length - 1);
  if (!last) return nothingTruncated;
  return { end: nextOrdinal(conversation), last: isUnloaded(last) ? '' : fingerprintEntry(last) };
}

/** What the next automatic pass measures growth from. */
function floorOf({ view, tokenScale }: Pass): number {
  return Math.round(toActual(tokenScale, seenTokens(view)));
}

/** Truncation before the first send changes nothing that was sent: it is no checkpoint. */
function checkpointOf(
  pass: Pass,
  reason: CompactionReason | undefined,
  changes: readonly Change[],
  retired: readonly Change[],
): Checkpoint | undefined {
  if (!reason || (changes.length === 0 && retired.length === 0)) return undefined;
  const { state, policy } = pass;
  return {
    id: `c${state.checkpointCount + 1}`,
    parent: state.head,
    reason,
    strategy: policy.strategy.name,
    changes,
    retired,
    truncation: state.truncation,
    historyEnd: allTruncated(pass).end,
    tokensBefore: contextBefore(pass),
    tokensAfter: requestTokens(pass),
  };
}

type Begun = Pick<Pass, 'ladderSteps' | 'tokenScale' | 'startTokens'>;

/** Tokens of a context before a pass. What new results weigh until they are truncated was never in it. */
export function contextBefore({ ladderSteps, tokenScale, startTokens }: Begun): number {
  const truncated = ladderSteps.find(({ ladderStep }) => ladderStep === 'truncate');
  return truncated?.afterTokens ?? Math.floor(toActual(tokenScale, startTokens));
}

/** The parts with what stands beside them in the request: they add up to it. */
function withOthers(parts: readonly MeasuredPart[], tokens: number): readonly MeasuredPart[] {
  if (tokens <= 0) return parts;
  return [...parts, { name: 'other messages', tokens }].sort((a, b) => b.tokens - a.tokens);
}

/** What is new is measured from here, before a model is asked again. */
function askedEnd(pass: Pass): number {
  return pass.summariser.calls > 0 ? allTruncated(pass).end : pass.state.askedEnd;
}

/**
 * The end of a step that cannot be sent. The state stays what it was, so that nothing is lost; only that a model was
 * asked is remembered.
 */
export function cannotFit(pass: Pass, canCompact: boolean): CannotFit {
  const { tokens, parts } = irreducible(pass);
  const wire = wireExcess(pass);
  const measured = requestTokens(pass);
  const sentTokens = canCompact ? measured : Math.max(tokens, measured);
  return {
    type: 'cannot-fit',
    usableTokens: pass.budget.usableTokens,
    requestTokens: sentTokens,
    parts: withOthers(parts, sentTokens - tokens),
    ...(wire ? { wire } : {}),
    canCompact,
    state: { ...withScale(pass.state, pass), askedEnd: askedEnd(pass) },
    report: reportOf(pass, { changes: [], retired: [] }),
  };
}
