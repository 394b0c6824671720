import type { CheckOptions } from './check-options.ts';
import { type CallIdRule, callIdRule, hasOwnId } from './call-id-rule.ts';
import { changePart, type Draft } from './draft.ts';
import type { PairedCall, Pairing } from './pair-calls.ts';
import type { Runs } from './response-runs.ts';

/**
 * Gives calls with a repeated or refused id another one, and their results with them. A new id follows from the
 * calls before it alone, so what is appended later never changes it. Returns the ids as they go out, by call.
 */
export function renameCalls(
  draft: Draft,
  pairing: Pairing,
  runs: Runs,
  options: CheckOptions,
): ReadonlyMap<PairedCall, string> {
  const rule = callIdRule(draft.rules, options.continues);
  const names = new Map<PairedCall, string>();
  for (const call of pairing.calls) {
    if (draft.lostParts.get(call.entry)?.has(call.part) || draft.lostEntries.has(call.entry)) continue;
    if (!hasOwnId(call.call, draft.rules)) continue;
    const { callId } = call.call;
    const run = runs.memberOf.get(call.entry);
    const isFine = rule.isWellFormed(callId) && !rule.isTaken(callId, run);
    const name = isFine ? callId : freeName(callId, rule);
    if (name !== callId) rename(draft, call, name);
    rule.take(name, run);
    names.set(call, name);
  }
  return names;
}

function rename(draft: Draft, { entry, part, call, result }: PairedCall, callId: string): void {
  changePart(draft, entry, { part, change: { type: 'rename-call', part: call, callId } });
  if (result) {
    const change = { type: 'rename-call', part: result.result, callId } as const;
    changePart(draft, result.entry, { part: result.part, change });
  }
  draft.repairs.push({ type: 'call-renamed', entry, part, from: call.callId, to: callId });
}

// The longest id that OpenAI takes; a suffix must still fit.
const longestStem = 50;

/** Shapes of ids from the one that says most to the one that any pattern known takes (Mistral: nine of a-zA-Z0-9). */
const shapes: readonly ((stem: string, count: number) => string)[] = [
  (stem, count) => (count === 1 ? stem : `${stem}_${count}`),
  (_stem, count) => `call_${count}`,
  (_stem, count) => count.toString(36).padStart(9, '0'),
];

function freeName(callId: string, rule: CallIdRule): string {
  const stem = callId.slice(0, longestStem).replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  const shape = shapes.find((one) => rule.isWellFormed(one(stem, 2))) ?? shapes[0];
  let name = callId;
  // Ends: each known id blocks one count at most. The rule remembers where it stopped for each stem.
  do name = shape?.(stem, rule.nextCount(shape === shapes[0] ? stem : '')) ?? callId;
  while (rule.isKnown(name));
  return name;
}
