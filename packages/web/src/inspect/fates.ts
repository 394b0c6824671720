import { isRangeChange } from '@throughline/core/internal';
import { clientCompactions } from './client-compactions.ts';
import { firstStepUnder, passOf } from './changes-by-pass.ts';
import { requestAt } from './request-at.ts';
import { rewind } from '@throughline/core';
import type { Change, EntryItem } from '@throughline/core/types';
import type { Inspected, InspectedPass, StepIndex } from './inspected.ts';
import type { RequestAt } from './request-at.ts';

/** Why a message is in a request. The first that holds, in this order. */
export type ShownBecause =
  /** It is pinned. */
  | 'pinned'
  | 'system'
  /** Its client wrote it in the place of what was said before. */
  | 'client-summary'
  /** The first request of the user. */
  | 'task'
  /** The newest request of the user. */
  | 'request'
  /** The model has not answered it yet. */
  | 'tail'
  /** It stands in front of what was compacted. */
  | 'lead'
  /** It was the newest request of the user when what is around it was compacted. */
  | 'request-then'
  /** It lies in what was compacted, and was left out of that: a call that still waited, a system message. */
  | 'kept'
  /** It came after the newest compaction. */
  | 'recent'
  /** It came after what its client compacted, and nothing else was. */
  | 'since-client'
  /** Nothing was compacted yet. */
  | 'all';

/** What was done to a message or a part of it, and by which pass. */
export interface FateCause {
  readonly type: Change['type'];
  readonly reason: Change['reason'];
  /** `null`: a result was cut before it was sent at all. */
  readonly pass: InspectedPass | null;
  /** Index of the first step without it; `null` where none was sent since. */
  readonly step: number | null;
  /** What the whole change saved: a summary stands for all messages of its range. */
  readonly savedTokens: number;
  /** Takes one to the original. */
  readonly recallId: string;
}

/** What became of a part of a message that is in the request. `whole`: it is there as it was said. */
export interface PartFate {
  readonly part: number;
  readonly state: 'whole' | 'changed' | 'gone' | 'never-sent';
  /** Estimated, as it was said. */
  readonly tokens: number;
  readonly cause: FateCause | null;
}

/** What became of a message of the history in one request. */
export type Fate =
  | {
      readonly state: 'shown';
      readonly ordinal: number;
      readonly because: ShownBecause;
      /** Estimated, as it was said, and as it is shown. */
      readonly tokens: number;
      readonly shownTokens: number;
      readonly parts: readonly PartFate[];
    }
  | {
      readonly state: 'gone';
      readonly ordinal: number;
      readonly tokens: number;
      /** The first pass that took it. */
      readonly cause: FateCause;
      /** The pass in whose summary it stands now: each summary goes on from the one before. */
      readonly standsIn: InspectedPass | null;
    }
  /** The provider's own compaction stands for it: it is sent, and does not reach the model. */
  | { readonly state: 'hidden'; readonly ordinal: number; readonly tokens: number }
  /** It was said after this request. */
  | { readonly state: 'later'; readonly ordinal: number; readonly tokens: number };

const known = new WeakMap<RequestAt, readonly Fate[]>();

/** What became of every message of the history in the request of a step, by ordinal. */
export function fatesAt(inspected: Inspected, index: StepIndex): readonly Fate[] {
  const request = requestAt(inspected, index);
  const before = known.get(request);
  if (before) return before;
  const fates = makeFates(inspected, request);
  known.set(request, fates);
  return fates;
}

/** What became of one message; `undefined` for one that there is not. */
export function fateOf(inspected: Inspected, index: StepIndex, ordinal: number): Fate | undefined {
  return fatesAt(inspected, index)[ordinal];
}

function makeFates(inspected: Inspected, request: RequestAt): readonly Fate[] {
  const { conversation } = inspected.transcript;
  const items = new Map<number, EntryItem>();
  for (const item of request.items) if (item.type === 'entry') items.set(item.entry.ordinal, item);
  const ranges = request.state.changes.filter(isRangeChange);
  const shownAs = shownBecauseOf(inspected, request);
  const cause = createCauses(inspected);
  const goneBy = createGoneBy(inspected, cause);
  const fates: Fate[] = [];
  for (let ordinal = 0; ordinal < conversation.entries.length; ordinal += 1) {
    const tokens = conversation.sizes.at(ordinal)?.tokens ?? 0;
    const item = items.get(ordinal);
    const range = item
      ? undefined
      : ranges.find(({ anchor }) => anchor.first <= ordinal && ordinal < anchor.end);
    if (ordinal >= request.historyLength) fates.push({ state: 'later', ordinal, tokens });
    else if (!item && range) fates.push({ state: 'gone', ordinal, tokens, ...goneBy(ordinal, range) });
    else if (!item || ordinal < request.transcript.conversation.barrierAt)
      fates.push({ state: 'hidden', ordinal, tokens });
    else {
      const parts = partFates(inspected, item, cause);
      fates.push({
        state: 'shown',
        ordinal,
        because: shownAs(ordinal),
        tokens,
        shownTokens: item.tokens,
        parts,
      });
    }
  }
  return fates;
}

/** Many messages went with the same change: its cause is found once. */
function createCauses(inspected: Inspected): (change: Change) => FateCause {
  const causes = new Map<Change, FateCause>();
  return (change) => {
    const before = causes.get(change);
    if (before) return before;
    const { type, reason, beforeTokens, afterTokens, recallId } = change;
    const pass = passOf(inspected, change);
    const cause: FateCause = {
      type,
      reason,
      pass: pass ?? null,
      step: pass ? firstStepUnder(inspected, pass) : stepAfter(inspected, change),
      savedTokens: beforeTokens - afterTokens,
      recallId,
    };
    causes.set(change, cause);
    return cause;
  };
}

type Gone = Pick<Extract<Fate, { readonly state: 'gone' }>, 'cause' | 'standsIn'>;
type RangeChange = Extract<Change, { readonly type: 'range-compacted' | 'range-dropped' }>;

/** A summary is written anew by each pass: what went stays gone since the first. */
function createGoneBy(
  inspected: Inspected,
  causeOf: (change: Change) => FateCause,
): (ordinal: number, range: RangeChange) => Gone {
  const lines = new Map<InspectedPass, readonly InspectedPass[]>();
  return (ordinal, range) => {
    const now = causeOf(range);
    if (!now.pass) return { cause: now, standsIn: null };
    const line = lines.get(now.pass) ?? lineOf(inspected, now.pass);
    lines.set(now.pass, line);
    for (const { checkpoint } of line) {
      const taken = checkpoint.changes.filter(isRangeChange).find((change) => hasTaken(change, ordinal));
      if (taken) return { cause: causeOf(taken), standsIn: now.pass };
    }
    return { cause: now, standsIn: now.pass };
  };
}

/** A pass and all on which it stands, oldest first. */
function lineOf({ passes }: Inspected, pass: InspectedPass): readonly InspectedPass[] {
  const byId = new Map(passes.map((one) => [one.id, one]));
  const line = new Set<InspectedPass>();
  for (let one: InspectedPass | undefined = pass; one && !line.has(one); one = byId.get(one.parent ?? ''))
    line.add(one);
  return [...line].toReversed();
}

function hasTaken({ anchor: { first, end, lead, kept } }: RangeChange, ordinal: number): boolean {
  return first <= ordinal && ordinal < end && !lead.includes(ordinal) && !kept.includes(ordinal);
}

/** A result is cut before the first request that has it. */
function stepAfter({ steps }: Inspected, change: Change): number | null {
  const ordinal = isRangeChange(change) ? change.anchor.end - 1 : change.anchor.ordinal;
  const index = steps.findIndex(({ historyLength }) => historyLength > ordinal);
  return index < 0 ? null : index;
}

function partFates(
  { transcript: { conversation } }: Inspected,
  { entry, changes }: EntryItem,
  causeOf: (change: Change) => FateCause,
): readonly PartFate[] {
  const sizes = conversation.sizes.at(entry.ordinal)?.parts ?? [];
  return entry.parts.map((one, part): PartFate => {
    const tokens = sizes[part] ?? 0;
    const change = changes.findLast(({ anchor }) => anchor.part === part);
    if (change) {
      const state = change.type === 'reasoning-dropped' ? 'gone' : 'changed';
      return { part, state, tokens, cause: causeOf(change) };
    }
    const isUnsent = one.type === 'opaque' && one.value === null;
    return { part, state: isUnsent ? 'never-sent' : 'whole', tokens, cause: null };
  });
}

function shownBecauseOf(inspected: Inspected, request: RequestAt): (ordinal: number) => ShownBecause {
  const pins = new Set(inspected.setup.pins);
  const summaries = new Set(clientCompactions(inspected).map(({ ordinal }) => ordinal));
  const lastSummary = summaries.size === 0 ? Infinity : Math.max(...summaries);
  const { conversation } = request.transcript;
  const ranges = request.view.items
    .slice()
    .flatMap((item) => (item.type === 'synthetic' ? [item.change] : []));
  const first = Math.min(...ranges.map(({ anchor }) => anchor.first));
  const end = Math.max(...ranges.map(({ anchor }) => anchor.end));
  const requestsThen = new Set(ranges.map((change) => requestAtPass(inspected, change)));
  return (ordinal) => {
    if (pins.has(ordinal)) return 'pinned';
    if (conversation.entries.at(ordinal)?.role === 'system') return 'system';
    if (summaries.has(ordinal)) return 'client-summary';
    if (ordinal === conversation.taskAt) return 'task';
    if (ordinal === conversation.latestAt) return 'request';
    if (ordinal >= conversation.answeredEnd) return 'tail';
    if (ranges.length === 0) return ordinal > lastSummary ? 'since-client' : 'all';
    if (ordinal < first) return 'lead';
    if (ordinal >= end) return 'recent';
    return requestsThen.has(ordinal) ? 'request-then' : 'kept';
  };
}

/** Place of what was the newest request of the user when a change was made. */
function requestAtPass(inspected: Inspected, change: Change): number | undefined {
  const { historyEnd } = passOf(inspected, change)?.checkpoint ?? {};
  if (historyEnd === undefined) return undefined;
  return rewind(inspected.transcript, historyEnd).conversation.latestAt;
}
