import type { Part } from '../transcript/entry.ts';
import { type Draft, entriesLeft, losePart, partsLeft } from './draft.ts';
import {
  isBlank,
  isEmpty,
  isMisplaced,
  isReasoningOnly,
  refusesBlankText,
  strandedFrom,
} from './message-content.ts';
import type { Pairing } from './pair-calls.ts';
import { layOutResponses, openSpan } from './response-layout.ts';

/** Takes out what no request of the format may contain: halves of pairs, empty messages, reasoning without its item. */
export function dropUnsendable(draft: Draft, pairing: Pairing): void {
  dropUnpaired(draft, pairing);
  for (const entry of draft.entries.keys()) dropFromMessage(draft, entry);
  for (const entry of draft.entries.keys()) dropIfEmpty(draft, entry);
  for (const response of assistantRuns(draft)) dropStrandedReasoning(draft, response);
}

function dropUnpaired(draft: Draft, pairing: Pairing): void {
  const open = openSpan(draft.entries, layOutResponses(draft.entries, draft.rules));
  for (const { entry, part, result, fault } of pairing.results) {
    if (!fault) continue;
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'result-dropped', entry, part, callId: result.callId, because: fault });
  }
  for (const { entry, part, call } of pairing.misplacedCalls) {
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'call-dropped', entry, part, callId: call.callId, because: 'misplaced' });
  }
  for (const { entry, part, call, result } of pairing.calls) {
    if (result || call.isProviderExecuted !== true || (open && entry >= open.first)) continue;
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'call-dropped', entry, part, callId: call.callId, because: 'split-pair' });
  }
}

function dropFromMessage(draft: Draft, entry: number): void {
  const role = draft.entries[entry]?.role ?? 'user';
  const isEmptyAnyway = isEmpty(partsLeft(draft, entry).map(({ part }) => part));
  for (const { part, index } of partsLeft(draft, entry)) {
    if (part.type === 'reasoning' && isMisplaced(part, role)) dropPart(draft, entry, index, 'misplaced');
    // Signed text cannot be corrected: whole or gone.
    else if (part.type === 'reasoning' && part.binding && !part.text.isWellFormed()) {
      dropPart(draft, entry, index, 'malformed-reasoning');
    } else if (!isEmptyAnyway && refusesBlankText(draft.rules) && isBlank(part)) {
      dropPart(draft, entry, index, 'empty-text');
    }
  }
}

type PartDropReason = Extract<Draft['repairs'][number], { type: 'part-dropped' }>['because'];

function dropPart(draft: Draft, entry: number, part: number, because: PartDropReason): void {
  losePart(draft, entry, part);
  draft.repairs.push({ type: 'part-dropped', entry, part, because });
}

function dropIfEmpty(draft: Draft, entry: number): void {
  if (!isEmpty(partsLeft(draft, entry).map(({ part }) => part))) return;
  draft.lostEntries.add(entry);
  draft.repairs.push({ type: 'message-dropped', entry, because: 'empty' });
}

/**
 * Runs of assistant messages in which reasoning finds its item: where the server merges messages or a response is
 * several items, the whole run; else each message by itself.
 */
function assistantRuns(draft: Draft): number[][] {
  const isRun = draft.rules.entriesPerResponse === 'many' || mergesAssistants(draft.rules);
  const runs: number[][] = [];
  let previous = -1;
  const left = entriesLeft(draft);
  for (const [position, entry] of left.entries()) {
    if (draft.entries[entry]?.role !== 'assistant') continue;
    if (isRun && previous === position - 1 && runs.length > 0) runs.at(-1)?.push(entry);
    else runs.push([entry]);
    previous = position;
  }
  return runs;
}

/** Formats whose server reads consecutive assistant messages as one. */
export function mergesAssistants(rules: Draft['rules']): boolean {
  return rules.resultsIn === 'user-message' && rules.entriesPerResponse === 'one';
}

function dropStrandedReasoning(draft: Draft, run: readonly number[]): void {
  const places = run.flatMap((entry) =>
    partsLeft(draft, entry).map(({ part, index }) => ({ entry, index, part })),
  );
  const from = strandedFrom(places.map(({ part }) => part));
  const touched = new Set(places.slice(from).map(({ entry }) => entry));
  for (const { entry, index, part } of places.slice(from)) {
    const isWhole = isReasoningOnly(left(draft, entry));
    if (!isWhole && part.binding === 'next-item') dropPart(draft, entry, index, 'reasoning-without-item');
  }
  for (const entry of touched) {
    const parts = left(draft, entry);
    if (!isReasoningOnly(parts) && !isEmpty(parts)) continue;
    draft.lostEntries.add(entry);
    draft.repairs.push({
      type: 'message-dropped',
      entry,
      because: isEmpty(parts) ? 'empty' : 'reasoning-only',
    });
  }
}

function left(draft: Draft, entry: number): Part[] {
  return partsLeft(draft, entry).map(({ part }) => part);
}
