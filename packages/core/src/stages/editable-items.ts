import { isHidden } from '../changes/view.ts';
import type { EntryItem } from '../changes/view.ts';
import type { StageInput } from './stage-input.ts';

/**
 * The messages of the view that a stage may change, in order: no system message, nothing pinned, and nothing in front
 * of the provider's own compaction, which stays whole and in place with all it stands for.
 */
export function* editableItems({ view, pins }: StageInput): Generator<EntryItem> {
  for (const item of view.items) {
    if (item.type !== 'entry' || item.entry.role === 'system') continue;
    if (pins.has(item.entry.ordinal) || isHidden(view.conversation, item.position)) continue;
    yield item;
  }
}
