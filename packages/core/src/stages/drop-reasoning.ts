import { editableItems } from './editable-items.ts';
import { partChangeBase, partsOf } from './part-change.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

/**
 * Drops reasoning, whole. That of the newest response stays where it is signed: a provider that checks signatures
 * wants it in front of the calls that are being answered. Reasoning that belongs to the item after it stays with it.
 */
export function dropReasoning(input: StageInput): PartLevelChange[] {
  const changes: PartLevelChange[] = [];
  for (const item of editableItems(input)) {
    for (const view of partsOf(input, item)) {
      if (isDroppable(input, view))
        changes.push({ type: 'reasoning-dropped', ...partChangeBase(view, 'space', 0) });
    }
  }
  return changes;
}

function isDroppable(input: StageInput, { item, part, change }: ViewPart): boolean {
  if (part.type !== 'reasoning' || change !== undefined || part.binding === 'next-item') return false;
  const isNewest = item.position >= (input.view.conversation.lastExchange?.first ?? 0);
  return part.binding === undefined || !isNewest;
}
