import type { Codec, PartChange } from '../codecs/codec.ts';
import type { Entry } from '../transcript/entry.ts';
import type { CheckOptions } from './check-options.ts';
import { changePart, createDraft, type Draft, entriesLeft, partsLeft } from './draft.ts';
import { dropUnsendable } from './drop-unsendable.ts';
import { insertRoleNotes } from './insert-role-notes.ts';
import { layOutItems } from './lay-out-items.ts';
import { pairCalls } from './pair-calls.ts';
import { renameCalls } from './rename-calls.ts';
import type { Repaired, RepairedItem } from './repaired.ts';
import { replaceMedia } from './replace-media.ts';
import { findRuns } from './response-runs.ts';
import { validate } from './validate.ts';
import { findMalformed } from './well-formed.ts';

const noChanges: readonly PartChange[] = [];

/**
 * Says what to send so that the format accepts it. A valid list comes back entry by entry without a change; else as
 * little as possible is altered, and every alteration is reported. What comes out is valid, a second repair changes
 * nothing, the same list always gives the same result, and nothing handed in is touched. Linear.
 *
 * Computed anew for each view and never stored: a real result that arrives late replaces the error result.
 */
export function repair(entries: readonly Entry[], codec: Codec, options: CheckOptions): Repaired {
  if (validate(entries, codec.rules, options).length === 0)
    return { items: entries.map(asItIs), repairs: [] };
  const draft = createDraft(entries, codec.rules);
  const pairing = pairCalls(entries, codec.rules);
  dropUnsendable(draft, pairing);
  const runs = findRuns(draft, pairing, options.ending);
  const names = renameCalls(draft, pairing, runs, options);
  replaceMedia(draft);
  reportCleaned(draft);
  trimLastAnswer(draft);
  const placed = layOutItems(draft, runs, names, codec);
  return { items: insertRoleNotes(draft, placed, options), repairs: draft.repairs };
}

function asItIs(_entry: Entry, index: number): RepairedItem {
  return { type: 'entry', index, changes: noChanges };
}

/** What is left is looked at: the message at the end may have gone, or lost what stood behind its text. */
function trimLastAnswer(draft: Draft): void {
  const entry = entriesLeft(draft).at(-1) ?? -1;
  const last = draft.entries[entry];
  const end = partsLeft(draft, entry).at(-1);
  if (draft.rules.trimsLastAnswer !== true || last?.role !== 'assistant' || end?.part.type !== 'text') return;
  const text = end.part.text.trimEnd();
  if (text === end.part.text) return;
  changePart(draft, entry, { part: end.index, change: { type: 'replace-text', part: end.part, text } });
  draft.repairs.push({ type: 'end-trimmed', entry, part: end.index });
}

function reportCleaned(draft: Draft): void {
  for (const entry of entriesLeft(draft)) {
    if (findMalformed(draft.entries[entry]?.wire)) draft.repairs.push({ type: 'text-cleaned', entry });
  }
}
