import { actualTokens } from './attempt.ts';
import { backgroundJob } from './background.ts';
import { changesNotIn } from '../changes/change-key.ts';
import { isCrowded } from './crowding.ts';
import { fingerprintEntry } from '../transcript/fingerprint.ts';
import { fixedKey } from './fixed-key.ts';
import { irreducible } from './irreducible.ts';
import { isGap } from '../transcript/gap.ts';
import { nextOrdinal } from '../transcript/conversation.ts';
import { nothingAdmitted } from './state.ts';
import { reportOf, wasClimbed } from './report-of.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/gauge.ts';
import { wireExcess } from './within-wire.ts';
import { withScale } from './summariser-scale.ts';
import type { Attempt } from './attempt.ts';
import type { CompactionReason } from './climb.ts';
import type { CannotFit, Checkpoint, Ready } from './step.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { Change } from '../changes/change.ts';
import type { Admitted, ContextState } from './state.ts';

/** The end of a step that can be sent. `reason` is present when a pass was made. */
export function ready(attempt: Attempt, reason?: CompactionReason): Ready {
  const { state, live, view } = attempt;
  const changes = changesNotIn(live, state.changes);
  const retired = changesNotIn(state.changes, live);
  const checkpoint = checkpointOf(attempt, reason, changes, retired);
  const background = reason ? undefined : backgroundJob(attempt);
  const next: ContextState = {
    ...withScale(state, attempt),
    changes: live,
    head: checkpoint?.id ?? state.head,
    checkpointCount: state.checkpointCount + (checkpoint ? 1 : 0),
    admitted: allAdmitted(attempt),
    sentTokens: view.tokens + attempt.notesTokens,
    floorTokens: reason ? floorOf(attempt) : state.floorTokens,
    askedEnd: reason ? askedEnd(attempt) : state.askedEnd,
    isHeld: state.isHeld && !reason,
    crowdedKey: wasClimbed(attempt) && isCrowded(attempt) ? fixedKey(attempt.transcript) : state.crowdedKey,
    fixedKey: fixedKey(attempt.transcript),
    offeredTokens: background ? Math.round(actualTokens(attempt)) : reason ? null : state.offeredTokens,
  };
  return {
    type: 'ready',
    view,
    changes,
    ...(checkpoint ? { checkpoint } : {}),
    ...(background ? { background } : {}),
    state: next,
    report: reportOf(attempt, { changes, retired }),
  };
}

function allAdmitted({ transcript: { conversation } }: Attempt): Admitted {
  const last = conversation.entries.at(conversation.entries.length - 1);
  if (!last) return nothingAdmitted;
  return { end: nextOrdinal(conversation), last: isGap(last) ? '' : fingerprintEntry(last) };
}

/** What the next automatic pass measures growth from. */
function floorOf({ view, gauge }: Attempt): number {
  return Math.round(toActual(gauge, seenTokens(view)));
}

/** Shortening before the first send changes nothing that was sent: it is no checkpoint. */
function checkpointOf(
  attempt: Attempt,
  reason: CompactionReason | undefined,
  changes: readonly Change[],
  retired: readonly Change[],
): Checkpoint | undefined {
  if (!reason || (changes.length === 0 && retired.length === 0)) return undefined;
  const { state, policy, gauge, startTokens } = attempt;
  return {
    id: `c${state.checkpointCount + 1}`,
    parent: state.head,
    reason,
    strategy: policy.strategy.name,
    changes,
    retired,
    admitted: state.admitted,
    historyEnd: allAdmitted(attempt).end,
    tokensBefore: Math.round(toActual(gauge, startTokens)),
    tokensAfter: Math.round(actualTokens(attempt)),
  };
}

/** The parts with what stands beside them in the request: they add up to it. */
function withOthers(parts: readonly MeasuredPart[], tokens: number): readonly MeasuredPart[] {
  if (tokens <= 0) return parts;
  return [...parts, { name: 'other messages', tokens }].sort((a, b) => b.tokens - a.tokens);
}

/** What is new is measured from here, before a model is asked again. */
function askedEnd(attempt: Attempt): number {
  return attempt.summariser.calls > 0 ? allAdmitted(attempt).end : attempt.state.askedEnd;
}

/**
 * The end of a step that cannot be sent. The state stays what it was, so that nothing is lost; only that a model was
 * asked is remembered.
 */
export function cannotFit(attempt: Attempt, canCompact: boolean): CannotFit {
  const { tokens, parts } = irreducible(attempt);
  const wire = wireExcess(attempt);
  const measured = Math.round(actualTokens(attempt));
  const requestTokens = canCompact ? measured : Math.max(tokens, measured);
  return {
    type: 'cannot-fit',
    usableTokens: attempt.budget.usableTokens,
    requestTokens,
    parts: withOthers(parts, requestTokens - tokens),
    ...(wire ? { wire } : {}),
    canCompact,
    state: { ...withScale(attempt.state, attempt), askedEnd: askedEnd(attempt) },
    report: reportOf(attempt, { changes: [], retired: [] }),
  };
}
