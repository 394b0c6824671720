import { fingerprintPart } from '../transcript/fingerprint.ts';
import { partRecallId } from '../transcript/entry.ts';
import type { ChangeReason, PartAnchor, PartLevelChange } from '../changes/change.ts';
import type { EntryItem } from '../changes/view.ts';
import type { Entry, Part, RecallId } from '../transcript/entry.ts';
import type { StageInput } from './stage-input.ts';

/** One part of a message in the view, with what it costs there now. */
export interface ViewPart {
  readonly item: EntryItem;
  readonly index: number;
  readonly part: Part;
  /** Cost of the original, and of what the view shows. */
  readonly fullTokens: number;
  readonly tokens: number;
  /** The change in force on it. */
  readonly change: PartLevelChange | undefined;
}

export function partsOf(input: StageInput, item: EntryItem): ViewPart[] {
  const sizes = input.view.conversation.sizes.at(item.position)?.parts ?? [];
  return item.entry.parts.map((part, index) => {
    const change = item.changes.find(({ anchor }) => anchor.part === index);
    const fullTokens = sizes[index] ?? 0;
    const saved = change ? change.beforeTokens - change.afterTokens : 0;
    return { item, index, part, fullTokens, tokens: fullTokens - saved, change };
  });
}

export function anchorOf(entry: Entry, index: number): PartAnchor {
  const part = entry.parts[index];
  return { ordinal: entry.ordinal, part: index, fingerprint: part ? fingerprintPart(part) : '' };
}

/** The fields every change of a part has. */
export function partChangeBase(
  { item, index, fullTokens }: ViewPart,
  reason: ChangeReason,
  afterTokens: number,
): {
  anchor: PartAnchor;
  recallId: RecallId;
  reason: ChangeReason;
  beforeTokens: number;
  afterTokens: number;
} {
  return {
    anchor: anchorOf(item.entry, index),
    recallId: partRecallId(item.entry.ordinal, index),
    reason,
    beforeTokens: fullTokens,
    afterTokens,
  };
}
