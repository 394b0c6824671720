import { anchorOf } from './stage-input.ts';
import { isRangeChange, takesOut } from '../changes/change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
import type { Binding, Entry, Part } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';

/**
 * The reasoning that an edit has voided: where reasoning is bound to everything before it, all of it after the first
 * edit goes in the same edit, the open tool loop included. Reasoning bound to its own content stays whole.
 *
 * @param binding what the model's profile says; the parts' own binding where it says nothing.
 */
export function boundReasoning(
  conversation: Conversation,
  live: readonly Change[],
  added: readonly Change[],
  binding: Binding | undefined,
): PartLevelChange[] {
  if (added.length === 0) return [];
  const ordinal = added.reduce((least, change) => Math.min(least, firstOrdinal(change)), Infinity);
  return voidedReasoning(conversation, live, { from: ordinal, binding });
}

interface Voided {
  /** Ordinal of the first message whose reasoning has another prefix now. */
  readonly from: number;
  readonly binding: Binding | undefined;
}

/** Drops what is shown of reasoning that is bound to its prefix, from a message on. Linear in what stands behind it. */
export function voidedReasoning(
  conversation: Conversation,
  live: readonly Change[],
  { from, binding }: Voided,
): PartLevelChange[] {
  if ((binding !== undefined && binding !== 'prefix') || conversation.reasoningAt < 0) return [];
  const changes: PartLevelChange[] = [];
  let gone: Gone | undefined;
  const { entries, sizes, barrierAt, reasoningAt } = conversation;
  for (
    let position = Math.max(reasoningAt, firstAtOrAfter(conversation, from), barrierAt);
    position < entries.length;
    position += 1
  ) {
    const entry = entries.at(position);
    if (!entry || !hasBound(entry, binding)) continue;
    gone ??= goneOf(live);
    if (gone.isCompacted(entry.ordinal)) continue;
    for (const [index, part] of entry.parts.entries()) {
      if (!isBound(part, binding) || gone.dropped.has(`${entry.ordinal}.${index}`)) continue;
      changes.push({
        type: 'reasoning-dropped',
        anchor: anchorOf(entry, index),
        recallId: partRecallId(entry.ordinal, index),
        reason: 'binding',
        beforeTokens: sizes.at(position)?.parts[index] ?? 0,
        afterTokens: 0,
      });
    }
  }
  return changes;
}

function firstOrdinal(change: Change): number {
  return isRangeChange(change) ? change.anchor.first : change.anchor.ordinal;
}

/** Position of the first message with this ordinal or a later one. */
function firstAtOrAfter(conversation: Conversation, ordinal: number): number {
  const { entries } = conversation;
  const exact = positionOf(conversation, ordinal);
  if (exact >= 0) return exact;
  let position = entries.length;
  while (position > 0 && (entries.at(position - 1)?.ordinal ?? -1) > ordinal) position -= 1;
  return position;
}

function hasBound({ parts }: Entry, binding: Binding | undefined): boolean {
  for (const part of parts) if (isBound(part, binding)) return true;
  return false;
}

function isBound(part: Part, binding: Binding | undefined): boolean {
  return part.type === 'reasoning' && (binding ?? part.binding) === 'prefix';
}

/** What the view does not show already. */
interface Gone {
  readonly dropped: ReadonlySet<string>;
  readonly isCompacted: (ordinal: number) => boolean;
}

function goneOf(live: readonly Change[]): Gone {
  const dropped = new Set<string>();
  const ranges: ((ordinal: number) => boolean)[] = [];
  for (const change of live) {
    if (change.type === 'reasoning-dropped') dropped.add(`${change.anchor.ordinal}.${change.anchor.part}`);
    if (isRangeChange(change)) ranges.push(takesOut(change.anchor));
  }
  return { dropped, isCompacted: (ordinal) => ranges.some((takes) => takes(ordinal)) };
}
