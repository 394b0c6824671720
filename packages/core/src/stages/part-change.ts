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
  const changes = changesByPart(item);
  return item.entry.parts.map((part, index) => {
    const change = changes?.get(index);
    const fullTokens = sizes[index] ?? 0;
    return { item, index, part, fullTokens, tokens: change?.afterTokens ?? fullTokens, change };
  });
}

function changesByPart({ changes }: EntryItem): ReadonlyMap<number, PartLevelChange> | undefined {
  return changes.length === 0 ? undefined : new Map(changes.map((change) => [change.anchor.part, change]));
}

export function anchorOf(entry: Entry, index: number): PartAnchor {
  return { ordinal: entry.ordinal, part: index, fingerprint: fingerprintPart(entry, index) ?? '' };
}

/** The fields every change of a part has; what it costs before is what the view shows of it now. */
export function partChangeBase(
  { item, index, tokens }: ViewPart,
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
    beforeTokens: tokens,
    afterTokens,
  };
}
