import { type Draft, contentLeft, entriesLeft } from './repaired.ts';
import { isReasoningOnly } from './message-content.ts';
import { endOfZone, layOutResponses, openSpan } from './pair-calls.ts';
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
  /** The run of which the entry is a member. */
  readonly memberOf: ReadonlyMap<number, Run>;
  /** Per entry the parts that move to another place. */
  readonly movedParts: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Finds the responses that are left, which of their results must move, and which are missing. Linear. */
export function findRuns(draft: Draft, pairing: Pairing, ending: 'send' | 'open'): Runs {
  const left = entriesLeft(draft);
  const entries = left.map((index) => ({
    ...(draft.entries[index] as Entry),
    parts: contentLeft(draft, index),
  }));
  const memberOf = new Map(
    collectRuns(draft, left, entries).flatMap((run) => run.members.map((entry) => [entry, run] as const)),
  );
  const movedParts = new Map<number, Set<number>>();
  for (const paired of pairing.results) {
    const run = paired.call && memberOf.get(paired.call.entry);
    if (!run || !mustMove(draft, paired, run)) continue;
    run.late.push(paired);
    const moved = movedParts.get(paired.entry) ?? new Set();
    moved.add(paired.part);
    movedParts.set(paired.entry, moved);
  }
  const span = ending === 'open' ? openSpan(entries, layOutResponses(entries, draft.rules)) : undefined;
  const open = span && memberOf.get(left[span.first] ?? -1);
  for (const call of pairing.calls) {
    const run = memberOf.get(call.entry);
    if (!call.result && call.call.isProviderExecuted !== true && run !== open) run?.missing.push(call);
  }
  return { memberOf, movedParts };
}

function mustMove({ rules, entries }: Draft, { entry, call }: PairedResult, run: Run): boolean {
  if (!rules.resultsAdjacent || call?.call.isProviderExecuted === true) return false;
  return entries[entry]?.role !== 'assistant' && !run.zone.has(entry);
}

function collectRuns({ rules }: Draft, left: readonly number[], entries: readonly Entry[]): Run[] {
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
    const isJoined = mergesAssistants(rules) && mustJoin(entries.slice(position, end - 1));
    const isOne = isJoined || rules.entriesPerResponse === 'many';
    for (const group of isOne ? [members] : members.map((member) => [member])) {
      const isLast = group.at(-1) === members.at(-1);
      const zone = new Set(isLast ? left.slice(end, endOfZone(entries, end, rules)) : []);
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
function mustJoin(earlier: readonly Entry[]): boolean {
  return earlier.some(({ parts }) => {
    const hasCall = parts.some((part) => part.type === 'call' && part.isProviderExecuted !== true);
    const bindsNext = parts.some((part) => part.type === 'reasoning' && part.binding === 'next-item');
    return hasCall || bindsNext || isReasoningOnly(parts);
  });
}
