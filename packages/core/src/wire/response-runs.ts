import { type Draft, entriesLeft, partsLeft } from './repaired.ts';
import { isReasoningOnly } from './message-content.ts';
import { endOfZone } from './pair-calls.ts';
import type { PairedCall, PairedResult, Pairing } from './pair-calls.ts';
import type { Entry } from '../transcript/entry.ts';

/** One model response of a draft: the entries it lies in, and what belongs right behind it. */
export interface Run {
  readonly members: readonly number[];
  /** The members become one message. */
  readonly isJoined: boolean;
  /** Entries behind it in which its results may stay. */
  readonly zone: ReadonlySet<number>;
  /** Results that stand elsewhere and must move here. */
  readonly late: PairedResult[];
  /** Client calls without a result. */
  readonly missing: PairedCall[];
}

export interface Runs {
  readonly all: readonly Run[];
  /** The run of which the entry is a member, or in whose zone it lies. */
  readonly memberOf: ReadonlyMap<number, Run>;
  /** Per entry the parts that move to another place. */
  readonly movedParts: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Finds the responses that are left, which of their results must move, and which are missing. Linear. */
export function findRuns(draft: Draft, pairing: Pairing, ending: 'send' | 'open'): Runs {
  const all = collectRuns(draft);
  const memberOf = new Map(all.flatMap((run) => run.members.map((entry) => [entry, run] as const)));
  const movedParts = new Map<number, Set<number>>();
  for (const paired of pairing.results) {
    const run = paired.call && memberOf.get(paired.call.entry);
    if (!run || !mustMove(draft, paired, run)) continue;
    run.late.push(paired);
    const moved = movedParts.get(paired.entry) ?? new Set();
    moved.add(paired.part);
    movedParts.set(paired.entry, moved);
  }
  const open = ending === 'open' ? openRun(draft, all) : undefined;
  for (const call of pairing.calls) {
    const run = memberOf.get(call.entry);
    if (!call.result && call.call.isProviderExecuted !== true && run !== open) run?.missing.push(call);
  }
  return { all, memberOf, movedParts };
}

function mustMove({ rules, entries }: Draft, { entry, call }: PairedResult, run: Run): boolean {
  if (!rules.resultsAdjacent || call?.call.isProviderExecuted === true) return false;
  return entries[entry]?.role !== 'assistant' && !run.zone.has(entry);
}

function collectRuns(draft: Draft): Run[] {
  const left = entriesLeft(draft);
  const entries = left.map((entry) => draft.entries[entry] as Entry);
  const runs: Run[] = [];
  let position = 0;
  while (position < left.length) {
    if (entries[position]?.role !== 'assistant') {
      position += 1;
      continue;
    }
    let end = position + 1;
    while (entries[end]?.role === 'assistant') end += 1;
    const members = left.slice(position, end);
    const isJoined = mergesAssistants(draft.rules) && mustJoin(draft, members);
    const isOne = isJoined || draft.rules.entriesPerResponse === 'many';
    for (const group of isOne ? [members] : members.map((member) => [member])) {
      const isLast = group.at(-1) === members.at(-1);
      const zone = new Set(isLast ? left.slice(end, endOfZone(entries, end, draft.rules)) : []);
      runs.push({ members: group, isJoined, zone, late: [], missing: [] });
    }
    position = end;
  }
  return runs;
}

/** Formats whose server reads consecutive assistant messages as one. */
export function mergesAssistants(rules: Draft['rules']): boolean {
  return rules.resultsIn === 'user-message' && rules.entriesPerResponse === 'one';
}

/** A run must become one message when the results of an earlier member cannot follow it, or its reasoning stands alone. */
function mustJoin(draft: Draft, members: readonly number[]): boolean {
  return members.slice(0, -1).some((member) => {
    const parts = partsLeft(draft, member).map(({ part }) => part);
    const hasCall = parts.some((part) => part.type === 'call' && part.isProviderExecuted !== true);
    const bindsNext = parts.some((part) => part.type === 'reasoning' && part.binding === 'next-item');
    return hasCall || bindsNext || isReasoningOnly(parts);
  });
}

/** The last run, when nothing but its results follows: its caller is about to answer it. */
function openRun(draft: Draft, runs: readonly Run[]): Run | undefined {
  const last = runs.at(-1);
  const newest = entriesLeft(draft).at(-1);
  if (!last || newest === undefined) return undefined;
  if (newest !== last.members.at(-1) && !last.zone.has(newest)) return undefined;
  const isOpen = [...last.zone].every(
    (entry) =>
      draft.entries[entry]?.role === 'tool' ||
      partsLeft(draft, entry).every(({ part }) => part.type === 'result'),
  );
  return isOpen ? last : undefined;
}
