import { toActual } from '../budget/measures.ts';
import { changesNotIn } from '../changes/change.ts';
import { seenTokens } from '../changes/view.ts';
import { backgroundJob } from './background.ts';
import { ContextError } from '../errors/context-error.ts';
import { viewEntries } from '../history/render-view.ts';
import { fixedKey } from '../history/transcript.ts';
import { irreducible, isCrowded } from '../pass/irreducible.ts';
import { isTooBig, requestTokens, wireExcess } from '../pass/pass.ts';
import { hasRunLadder, reportOf } from '../pass/report-of.ts';
import { nothingTruncated } from '../pass/state.ts';
import { withScale } from '../pass/summariser-scale.ts';
import { nextOrdinal } from '../transcript/conversation.ts';
import { fingerprintEntry } from '../transcript/fingerprint.ts';
import { isBlank, isUnloaded } from '../transcript/entry.ts';
import { repair } from '../wire/repair.ts';
import type { Change } from '../changes/change.ts';
import type { View, ViewItem } from '../changes/view.ts';
import type { CannotFit, Checkpoint, Ready } from './step.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { Transcript } from '../history/transcript.ts';
import type { Pass } from '../pass/pass.ts';
import type { CompactionReason } from '../pass/report.ts';
import type { ContextState, TruncationProgress } from '../pass/state.ts';
import type { Repair } from '../wire/repaired.ts';

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

/**
 * A request without any message is refused by every provider: nothing is made fit, and no model is asked, before there
 * is something to send. A history may be empty all the same, as that of a session that has just begun.
 *
 * @throws {ContextError} `bad-wire-format` where nothing is left of a view once it is mended.
 */
export function checkRequest({ codec }: Transcript, view: View): void {
  const { items } = view;
  // The first message is one nearly always: then nothing else is looked at.
  for (let index = 0; index < items.length; index += 1) if (isSurelySent(items.at(index))) return;
  const entries = viewEntries(codec, view).map(({ entry }) => entry);
  const repaired = repair(entries, codec, { ending: 'send' });
  if (repaired.items.length === 0) throw nothingToSend(codec.name, entries.length, repaired.repairs);
}

/** What the engine wrote, and what a user said, goes out whatever else is mended. */
function isSurelySent(item: ViewItem | undefined): boolean {
  if (item?.type !== 'entry') return item !== undefined;
  const { role, parts } = item.entry;
  return (
    role === 'user' &&
    item.changes.length === 0 &&
    parts.some((part) => part.type === 'text' && !isBlank(part))
  );
}

/** @param repairs what was done to the messages, of which none is left */
function nothingToSend(
  format: string,
  messages: number,
  repairs: readonly Repair[],
): ContextError<'bad-wire-format'> {
  const expected = 'a list of at least one message that says something';
  const reasons = repairs.flatMap((one) => (one.type === 'note-added' ? [] : [reasonOf(one)]));
  const what = messages === 0 ? 'an empty list' : `nothing else than ${reasons.slice(0, 3).join(', ')}`;
  const rest = reasons.length > 3 ? ' …' : '';
  const message = `Expected messages to be ${expected}, got ${what}${rest}.`;
  return new ContextError('bad-wire-format', message, { format, path: 'messages', expected });
}

function reasonOf(done: Exclude<Repair, { type: 'note-added' }>): string {
  const because = 'because' in done ? ` (${done.because})` : '';
  return `messages[${done.entry}]: ${done.type}${because}`;
}
