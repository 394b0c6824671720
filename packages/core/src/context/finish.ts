import { actualTokens } from './attempt.ts';
import { irreducible } from './irreducible.ts';
import { noSummariser } from './ladder.ts';
import { reportOf } from './report-of.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { CannotFit, Checkpoint, CompactionReason, Ready } from './step.ts';
import type { Change } from '../changes/change.ts';
import type { ContextState } from './state.ts';
import type { SummariserWork } from './ladder.ts';

export interface Pass {
  readonly reason: CompactionReason;
  readonly summariser: SummariserWork;
}

/** The end of a step that can be sent. `pass` is present when the ladder was climbed. */
export function ready(attempt: Attempt, pass?: Pass): Ready {
  const { state, live, view } = attempt;
  const before = new Set(state.changes);
  const after = new Set(live);
  const changes = live.filter((change) => !before.has(change));
  const retired = state.changes.filter((change) => !after.has(change));
  const checkpoint = checkpointOf(attempt, pass, changes, retired);
  const next: ContextState = {
    ...state,
    changes: live,
    head: checkpoint?.id ?? state.head,
    checkpointCount: state.checkpointCount + (checkpoint ? 1 : 0),
    admittedEnd: nextOrdinal(attempt),
    sentTokens: view.tokens,
    floorTokens: pass ? floorOf(attempt) : state.floorTokens,
    isHeld: state.isHeld && !pass,
  };
  return {
    type: 'ready',
    view,
    changes,
    ...(checkpoint ? { checkpoint } : {}),
    state: next,
    report: reportOf(attempt, changes, pass?.summariser ?? noSummariser),
  };
}

function nextOrdinal({ transcript: { conversation } }: Attempt): number {
  return (conversation.entries.at(conversation.entries.length - 1)?.ordinal ?? -1) + 1;
}

/** What the next automatic pass measures growth from. */
function floorOf({ view, gauge }: Attempt): number {
  return Math.round(toActual(gauge, seenTokens(view)));
}

/** Shortening before the first send changes nothing that was sent: it is no checkpoint. */
function checkpointOf(
  attempt: Attempt,
  pass: Pass | undefined,
  changes: readonly Change[],
  retired: readonly Change[],
): Checkpoint | undefined {
  if (!pass || (changes.length === 0 && retired.length === 0)) return undefined;
  const { state, policy, gauge, startTokens } = attempt;
  return {
    id: `c${state.checkpointCount + 1}`,
    parent: state.head,
    reason: pass.reason,
    strategy: policy.strategy.name,
    changes,
    retired,
    admittedEnd: state.admittedEnd,
    tokensBefore: Math.round(toActual(gauge, startTokens)),
    tokensAfter: Math.round(actualTokens(attempt)),
  };
}

/** The end of a step that cannot be sent. The state stays what it was, so that nothing is lost. */
export function cannotFit(attempt: Attempt, canCompact: boolean): CannotFit {
  const { tokens, parts } = irreducible(attempt);
  return {
    type: 'cannot-fit',
    usableTokens: attempt.budget.usableTokens,
    requestTokens: canCompact
      ? Math.round(actualTokens(attempt))
      : Math.max(tokens, Math.round(actualTokens(attempt))),
    parts,
    canCompact,
    state: attempt.state,
    report: reportOf(attempt, [], noSummariser),
  };
}
