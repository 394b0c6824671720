import { anchorOf } from './part-change.ts';
import { isRangeChange } from '../changes/replay.ts';
import { partRecallId } from '../transcript/entry.ts';
import type { Binding, Entry } from '../transcript/entry.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
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
  if (binding !== 'prefix' && !hasPrefixBinding(conversation, binding)) return [];
  const from = Math.min(
    ...added.map((change) => (isRangeChange(change) ? change.anchor.first : change.anchor.ordinal)),
  );
  const dropped = new Set(
    live.flatMap((change) => (change.type === 'reasoning-dropped' ? [keyOf(change)] : [])),
  );
  const changes: PartLevelChange[] = [];
  for (const { entry, tokens } of measured(conversation)) {
    if (entry.ordinal < from || isFolded(live, entry)) continue;
    entry.parts.forEach((part, index) => {
      if (part.type !== 'reasoning' || (part.binding ?? binding) === undefined) return;
      if ((binding ?? part.binding) !== 'prefix' || dropped.has(`${entry.ordinal}.${index}`)) return;
      changes.push({
        type: 'reasoning-dropped',
        anchor: anchorOf(entry, index),
        recallId: partRecallId(entry.ordinal, index),
        reason: 'binding',
        beforeTokens: tokens[index] ?? 0,
        afterTokens: 0,
      });
    });
  }
  return changes;
}

function hasPrefixBinding(conversation: Conversation, binding: Binding | undefined): boolean {
  if (binding !== undefined) return false;
  for (const entry of conversation.entries) {
    if (entry.parts.some((part) => part.type === 'reasoning' && part.binding === 'prefix')) return true;
  }
  return false;
}

function keyOf({ anchor }: PartLevelChange): string {
  return `${anchor.ordinal}.${anchor.part}`;
}

function* measured(conversation: Conversation): Generator<{ entry: Entry; tokens: readonly number[] }> {
  for (let position = 0; position < conversation.entries.length; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry) yield { entry, tokens: conversation.sizes.at(position)?.parts ?? [] };
  }
}

function isFolded(live: readonly Change[], { ordinal }: Entry): boolean {
  return live.some(
    (change) =>
      isRangeChange(change) &&
      ordinal >= change.anchor.first &&
      ordinal < change.anchor.end &&
      !change.anchor.lead.includes(ordinal) &&
      !change.anchor.kept.includes(ordinal),
  );
}
