import { longArguments, prunePart, truncatePart } from './prune-part.ts';
import type { EntryItem } from '../changes/view.ts';
import { seenTokens, tailItem } from '../changes/view.ts';
import type { ChangeReason, PartLevelChange } from '../changes/change.ts';
import type { KeptOutput } from '../budget/measures.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import { partsOf } from './stage-input.ts';
import { levelWithin } from './shrink-parts.ts';
import { fingerprintValue } from '../transcript/fingerprint.ts';
import { isRequest } from '../transcript/own-words.ts';
import type { CallPart } from '../transcript/entry.ts';

interface PrunePartsOptions {
  /** Stop when what the model has seen is down to this. @default the target */
  readonly targetTokens?: number;
  /** Newest tool output that stays, beside what the model has not seen. @default what is measured for it */
  readonly keep?: KeptOutput;
  /** Do nothing at all unless at least this is gained. @default 0 */
  readonly leastGainTokens?: number;
  /** Do nothing unless the target is reached: a compaction follows that makes room by itself. @default false */
  readonly onlyIfEnough?: boolean;
}

const placeholderShare = 0.1;
const maxPlaceholderTokens = 300;
const placeholderOverheadTokens = 30;

/**
 * Replaces old results, and long arguments of old calls, by placeholders; repeated reads first, then oldest
 * first, until the target is reached. Never the call, nothing pinned, nothing the model has not seen, nothing compacted.
 */
export function pruneParts(input: StageInput, options: PrunePartsOptions): PartLevelChange[] {
  const { targetTokens = input.measures.target, keep = input.measures.keep } = options;
  const { leastGainTokens = 0, onlyIfEnough = false } = options;
  const needTokens = seenTokens(input.view) - targetTokens;
  if (needTokens <= 0) return [];
  if (onlyIfEnough && isOutOfReach(input, targetTokens)) return [];
  const parts = prunableParts(input, keep);
  const gain = parts.reduce((sum, { view }) => sum + leastGain(view), 0);
  if (gain < leastGainTokens || (onlyIfEnough && gain < needTokens)) return [];
  const ordered = [
    ...parts.filter(({ isRepeated }) => isRepeated),
    ...parts.filter((part) => !part.isRepeated),
  ];
  const changes: PartLevelChange[] = [];
  let gained = 0;
  for (const { view, isRepeated } of ordered) {
    if (gained >= needTokens) break;
    const cleared = prunePart(input, view, { reason: reasonOf(view, isRepeated) });
    if (!cleared || cleared.afterTokens >= view.tokens) continue;
    const change = isRepeated ? cleared : asFarAsNeeded(input, view, cleared, needTokens - gained);
    gained += view.tokens - change.afterTokens;
    changes.push(change);
  }
  return changes;
}

/** What gives way last gives no more than is needed: there is room for its head and tail. */
function asFarAsNeeded(
  input: StageInput,
  view: ViewPart,
  cleared: PartLevelChange,
  needTokens: number,
): PartLevelChange {
  if (view.tokens - cleared.afterTokens <= needTokens) return cleared;
  const shorter = truncatePart(input, view, view.tokens - needTokens);
  return shorter &&
    shorter.afterTokens > cleared.afterTokens &&
    view.tokens - shorter.afterTokens >= needTokens
    ? shorter
    : cleared;
}

/**
 * Long arguments of calls from a position on, down to what results may take: a quarter of the trigger each, 40 % those of
 * one message. Results are cut before their first send. What the model writes is not ours to cut then; where room is made,
 * it takes as much as they may, and the rest is left to the summary.
 */
export function truncateArguments(input: StageInput, from: number): PartLevelChange[] {
  const { exchange, result } = input.measures;
  const changes: PartLevelChange[] = [];
  const byEntry = Map.groupBy(seenParts(input, from), ({ item }) => item);
  for (const views of byEntry.values()) {
    const calls = views.filter((view) => view.part.type === 'call' && isPrunable(input, view));
    const sizes = calls.map(({ tokens }) => tokens);
    const maxTokens = Math.min(levelWithin(sizes, exchange), result);
    for (const view of calls) {
      if (view.tokens <= maxTokens) continue;
      const change = truncatePart(input, view, maxTokens);
      if (change) changes.push(change);
    }
  }
  return changes;
}

// A placeholder without an index, in its message.
const leastMessageTokens = 34;

/** Whether no pruning can get that far: found without a look at the parts, and at no more messages than it takes. */
function isOutOfReach({ view: { items, conversation } }: StageInput, targetTokens: number): boolean {
  let tokens = 0;
  for (let index = 0; index < items.length && tokens <= targetTokens; index += 1) {
    const item = items.at(index);
    if (!item || (item.type === 'entry' && item.position >= conversation.answeredEnd)) break;
    tokens += Math.min(item.tokens, leastMessageTokens);
  }
  return tokens > targetTokens;
}

/** What pruning a part gains at least; of a call, what its long arguments are is only known by reading it. */
function leastGain({ part, tokens }: ViewPart): number {
  if (part.type === 'call' && longArguments(part).length === 0) return 0;
  return Math.max(
    0,
    tokens - Math.min(tokens * placeholderShare, maxPlaceholderTokens) - placeholderOverheadTokens,
  );
}

function reasonOf({ part }: ViewPart, isRepeated: boolean): ChangeReason {
  if (part.type === 'call') return 'old-arguments';
  return isRepeated ? 'duplicate' : 'old-output';
}

interface PrunablePart {
  readonly view: ViewPart;
  /** The same call was made again later with the same arguments: this is the older answer. */
  readonly isRepeated: boolean;
}

/** Below this a placeholder costs as much as what it stands for. */
export const smallestPrunableTokens = 80;

/**
 * Results and calls that pruning may touch, oldest first: not pinned, not compacted, not pruned before, seen by the
 * model, and older than what is kept of the newest.
 */
function prunableParts(input: StageInput, keep: KeptOutput): PrunablePart[] {
  const parts: ViewPart[] = [];
  const newestOfCall = new Map<string, ViewPart>();
  const repeated = new Set<ViewPart>();
  const callKeys = new Map<string, string>();
  for (const view of seenParts(input)) {
    if (view.part.type === 'call') callKeys.set(view.part.callId, callKey(view.part));
    if (view.part.type === 'result') {
      const key = callKeys.get(view.part.callId);
      const older = key === undefined ? undefined : newestOfCall.get(key);
      if (older) repeated.add(older);
      if (key !== undefined) newestOfCall.set(key, view);
    }
    if (isPrunable(input, view)) parts.push(view);
  }
  return parts
    .slice(0, protectedStart(parts, keep, newestTurnsFrom(input, keep.turns)))
    .map((view) => ({ view, isRepeated: repeated.has(view) }));
}

function* seenParts(input: StageInput, from = 0): Generator<ViewPart> {
  const { conversation, tailFrom } = input.view;
  const first = Math.max(from, tailFrom, conversation.barrierAt);
  for (let position = first; position < conversation.answeredEnd; position += 1) {
    const item = tailItem(input.view, position);
    if (item && hasTools(item)) yield* partsOf(input, item);
  }
}

function hasTools({ entry }: EntryItem): boolean {
  return entry.parts.some(({ type }) => type === 'call' || type === 'result');
}

function callKey({ name, input }: CallPart): string {
  return `${name} ${fingerprintValue(input.type === 'text' ? input.text : input.value)}`;
}

function isPrunable(input: StageInput, view: ViewPart): boolean {
  const { item, part, tokens } = view;
  if (tokens < smallestPrunableTokens || input.pins.has(item.entry.ordinal)) return false;
  return isUnpruned(view) && (part.type !== 'call' || part.binding === undefined);
}

/** Whether a part is a result or a call that no provider has run and nobody has pruned: one that was shortened was not. */
export function isUnpruned({ part, change }: ViewPart): boolean {
  if (part.type === 'result') return part.isProviderExecuted !== true && change?.type !== 'result-pruned';
  const isWhole = change === undefined || change.reason === 'space';
  return part.type === 'call' && part.isProviderExecuted !== true && isWhole;
}

/** Index of the oldest part that stays: in the newest turns, or among the newest before them, as far as there is room. */
function protectedStart(parts: readonly ViewPart[], { newest, most }: KeptOutput, turnsFrom: number): number {
  let kept = 0;
  let keptBefore = 0;
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index];
    if (!part) continue;
    kept += part.tokens;
    if (part.item.position < turnsFrom) keptBefore += part.tokens;
    if (kept > most || keptBefore > newest) return index + 1;
  }
  return 0;
}

/** Where the newest turns begin, as far back as the first request; behind everything where none are kept. */
function newestTurnsFrom({ view: { conversation } }: StageInput, turns: number): number {
  const { entries, latestAt, taskAt } = conversation;
  let found = 0;
  let from = entries.length;
  for (let position = latestAt; position >= taskAt && position >= 0 && found < turns; position -= 1) {
    const entry = entries.at(position);
    if (!entry || !isRequest(entry)) continue;
    found += 1;
    from = position;
  }
  return from;
}
