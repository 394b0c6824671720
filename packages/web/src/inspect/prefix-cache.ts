import { priceRequest } from '@throughline/core';
import { changeKey, isCacheCold } from '@throughline/core/internal';
import { passOf } from './changes-by-pass.ts';
import { requestAt } from './request-at.ts';
import type { Change } from '@throughline/core/types';
import type { Inspected, InspectedPass, InspectedStep } from './inspected.ts';
import type { RequestAt } from './request-at.ts';

/** Why a request did not begin as the one before. */
export type BreakCause =
  /** There was none before it. */
  | { readonly type: 'first-request' }
  | { readonly type: 'model-switched'; readonly from: string; readonly to: string }
  /** What every request begins with was another. */
  | { readonly type: 'beginning-changed'; readonly system: boolean; readonly tools: boolean }
  /** Longer ago than the provider keeps a prefix. */
  | { readonly type: 'cache-expired'; readonly idleMs: number }
  | {
      readonly type: 'changes';
      readonly passes: readonly InspectedPass[];
      readonly changes: readonly Change[];
    }
  /** A compaction was taken back. */
  | { readonly type: 'undone'; readonly pass: InspectedPass }
  /** What was said before is another text now, and no change says so. */
  | { readonly type: 'edited-history'; readonly ordinal: number | null }
  /** All is as before, and the provider read less than that: it has forgotten it, or what every request begins with was another. */
  | {
      readonly type: 'not-read';
      readonly expectedTokens: number;
      readonly readTokens: number;
      /** System text and tools are known to be the same. */
      readonly isSameBeginning: boolean;
    };

/** A message of a request: as it was in the one before, the same but behind a break, or new. */
export interface CachedMessage {
  readonly index: number;
  readonly ordinal: number | null;
  /** The engine wrote it in the place of others; without that and an ordinal it was added to mend the request. */
  readonly isWritten: boolean;
  readonly state: 'cached' | 'rewritten' | 'new';
  /** Estimated. */
  readonly tokens: number;
}

export interface StepCache {
  readonly messages: readonly CachedMessage[];
  /** `null` where nothing broke. */
  readonly cause: BreakCause | null;
  /** Index of the first message that is not as before; `null` where there is none. */
  readonly breakAt: number | null;
  /** Estimated: what was sent again although it had been said before. */
  readonly rewrittenTokens: number;
  /** What that cost more than reading it from the cache; `null` where no prices are known. */
  readonly rewrittenUsd: number | null;
  /** What the provider says it has read from its cache; `null` where it says nothing. */
  readonly readTokens: number | null;
}

/** Less than that a provider reads in whole blocks: no sign of anything. */
const leastReadShare = 0.5;
const leastTokens = 2_048;

/** What of the request of a step came from the cache: it and the one before it, message by message. */
export function cacheAt(inspected: Inspected, index: number): StepCache {
  const now = requestAt(inspected, index);
  const before = index > 0 ? requestAt(inspected, index - 1) : undefined;
  const same = before ? commonPrefix(before, now) : 0;
  const isWhole = before !== undefined && same === before.messages.length;
  const cause = causeOf(inspected, { before, now, same, isWhole });
  // A prefix that nobody has any more is rewritten, however much of it is the same.
  const sizes = sizesOf(now);
  const cached = cause ? Math.min(same, leftBy(cause, now, sizes)) : same;
  const known = before?.historyLength ?? 0;
  const messages = now.messages.map((rendered, place): CachedMessage => {
    const { ordinal } = rendered;
    const isNew = ordinal !== undefined && ordinal >= known;
    const state = place < cached ? 'cached' : isNew ? 'new' : 'rewritten';
    const isWritten = ordinal === undefined && !isMend(now, rendered);
    return { index: place, ordinal: ordinal ?? null, isWritten, state, tokens: sizes[place] ?? 0 };
  });
  const outside = cached === 0 && before ? now.transcript.systemTokens + now.transcript.toolsTokens : 0;
  const rewrittenTokens = before ? outside + sumOf(messages, 'rewritten') : 0;
  return {
    messages,
    cause,
    breakAt: before && (!isWhole || cached < same) ? cached : null,
    rewrittenTokens,
    rewrittenUsd: rewriteCost(inspected, rewrittenTokens),
    readTokens: now.step?.usage?.cacheReadTokens ?? null,
  };
}

/** The result that a call without one is sent with. */
function isMend({ transcript }: RequestAt, { message }: RequestAt['messages'][number]): boolean {
  return transcript.codec.decode(message, 0).parts.some(({ type }) => type === 'result');
}

/** How many messages a break can leave in the cache, those behind what differs aside. The provider knows better. */
function leftBy(
  cause: BreakCause,
  { step, transcript, estimatedTokens }: RequestAt,
  sizes: readonly number[],
) {
  if (!isLost[cause.type] && cause.type !== 'not-read') return sizes.length;
  const { inputTokens = 0, cacheReadTokens } = step?.usage ?? {};
  if (!cacheReadTokens) return 0;
  // A prefix was read as far as the count goes: what the provider counts beside the messages stands in front of them.
  const unseen = Math.max(0, inputTokens - estimatedTokens);
  const scale = Math.min(1, inputTokens / estimatedTokens);
  let end = unseen + scale * (transcript.systemTokens + transcript.toolsTokens);
  const first = sizes.findIndex((tokens) => (end += scale * tokens) > cacheReadTokens);
  return first < 0 ? sizes.length : first;
}

const isLost: Readonly<Record<BreakCause['type'], boolean>> = {
  'first-request': true,
  'model-switched': true,
  'beginning-changed': true,
  'cache-expired': true,
  changes: false,
  undone: false,
  'edited-history': false,
  // How far it was read is counted.
  'not-read': false,
};

function commonPrefix(before: RequestAt, now: RequestAt): number {
  const end = Math.min(before.messages.length, now.messages.length);
  let same = 0;
  while (same < end && isSame(before.messages[same]?.message, now.messages[same]?.message)) same += 1;
  return same;
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

interface Pair {
  readonly before: RequestAt | undefined;
  readonly now: RequestAt;
  readonly same: number;
  readonly isWhole: boolean;
}

/** The first cause that explains it. */
function causeOf(inspected: Inspected, pair: Pair): BreakCause | null {
  const { before, now, same, isWhole } = pair;
  if (!before) return { type: 'first-request' };
  const [was, is] = [before.step, now.step];
  if (was?.model && is?.model && was.model !== is.model)
    return { type: 'model-switched', from: was.model, to: is.model };
  const beginning = changedBeginning(was, is);
  if (beginning) return beginning;
  const expired = expiredMs(inspected, was, is);
  if (expired !== undefined) return { type: 'cache-expired', idleMs: expired };
  if (!isWhole) return changedCause(inspected, { before, now, same });
  return unreadCause(inspected, { ...pair, before });
}

/** Prompts begin with tools and system text: behind another one of them nothing is found. */
function changedBeginning(
  was: InspectedStep | undefined,
  is: InspectedStep | undefined,
): Extract<BreakCause, { readonly type: 'beginning-changed' }> | undefined {
  const isOther = (name: 'systemHash' | 'toolsHash'): boolean =>
    was?.[name] !== undefined && is?.[name] !== undefined && was[name] !== is[name];
  const [system, tools] = [isOther('systemHash'), isOther('toolsHash')];
  return system || tools ? { type: 'beginning-changed', system, tools } : undefined;
}

function hasSameBeginning(was: InspectedStep | undefined, is: InspectedStep | undefined): boolean {
  return (
    was?.systemHash !== undefined &&
    was.toolsHash !== undefined &&
    was.systemHash === is?.systemHash &&
    was.toolsHash === is.toolsHash
  );
}

function expiredMs(
  { setup }: Inspected,
  was: InspectedStep | undefined,
  is: InspectedStep | undefined,
): number | undefined {
  const [from, to] = [was?.startedAtMs ?? null, is?.startedAtMs ?? null];
  if (!setup.pricing || from === null || to === null) return undefined;
  const idleMs = to - (from + (was?.durationMs ?? 0));
  if (setup.pricing.cache.kind === 'none' || !isCacheCold(setup.pricing, idleMs)) return undefined;
  // The provider knows better.
  return (is?.usage?.cacheReadTokens ?? 0) > 0 ? undefined : idleMs;
}

function changedCause(
  inspected: Inspected,
  { before, now, same }: { readonly before: RequestAt; readonly now: RequestAt; readonly same: number },
): BreakCause {
  const old = new Set(before.state.changes.map(changeKey));
  const current = new Set(now.state.changes.map(changeKey));
  const changes = now.state.changes.filter(
    (change) => !old.has(changeKey(change)) && firstPlace(change) < before.historyLength,
  );
  const gone = before.state.changes.filter((change) => !current.has(changeKey(change)));
  const passes = [...new Set(changes.flatMap((change) => passOf(inspected, change) ?? []))];
  const undone = gone
    .flatMap((change) => passOf(inspected, change) ?? [])
    .find(({ isInForce }) => !isInForce);
  if (undone && passes.length === 0) return { type: 'undone', pass: undone };
  if (changes.length > 0) return { type: 'changes', passes, changes };
  return { type: 'edited-history', ordinal: now.messages[same]?.ordinal ?? null };
}

function firstPlace({ anchor }: Change): number {
  return 'first' in anchor ? anchor.first : anchor.ordinal;
}

/** All is as it was, and it was read anew. */
function unreadCause(
  { setup }: Inspected,
  { before, now, same }: Pair & { readonly before: RequestAt },
): BreakCause | null {
  const usage = now.step?.usage;
  if (!usage || setup.pricing?.cache.kind === 'none') return null;
  const sizes = sizesOf(now);
  const fixed = now.transcript.systemTokens + now.transcript.toolsTokens;
  const expectedTokens = Math.round(sizes.slice(0, same).reduce((sum, tokens) => sum + tokens, fixed));
  const { cacheReadTokens: readTokens, cacheWriteTokens: writtenTokens } = usage;
  if (readTokens === null) return null;
  // Where a provider says nothing of a cache at all, nothing is known.
  const isTold = readTokens > 0 || (writtenTokens ?? 0) > 0;
  if (!isTold || expectedTokens < leastTokens || readTokens >= expectedTokens * leastReadShare) return null;
  return {
    type: 'not-read',
    expectedTokens,
    readTokens,
    isSameBeginning: hasSameBeginning(before.step, now.step),
  };
}

function sumOf(messages: readonly CachedMessage[], wanted: CachedMessage['state']): number {
  return messages.reduce((sum, { state, tokens }) => sum + (state === wanted ? tokens : 0), 0);
}

const sizesKnown = new WeakMap<RequestAt, readonly number[]>();

/** Estimated tokens of each message that is sent. */
function sizesOf(request: RequestAt): readonly number[] {
  const before = sizesKnown.get(request);
  if (before) return before;
  const { messages, items, transcript } = request;
  const byOrdinal = new Map(
    items.map((item) => [item.type === 'entry' ? item.entry.ordinal : -1, item.tokens]),
  );
  const { measure } = transcript.conversation;
  const sizes = messages.map(({ ordinal, message }) => {
    const known = ordinal === undefined ? undefined : byOrdinal.get(ordinal);
    return known ?? measure(transcript.codec.decode(message, ordinal ?? 0)).tokens;
  });
  sizesKnown.set(request, sizes);
  return sizes;
}

/** Written anew in place of read from the cache. */
function rewriteCost({ setup: { pricing } }: Inspected, tokens: number): number | null {
  if (!pricing) return null;
  const fresh = priceRequest(pricing, { inputTokens: tokens });
  return fresh - priceRequest(pricing, { inputTokens: tokens, cachedTokens: tokens });
}
