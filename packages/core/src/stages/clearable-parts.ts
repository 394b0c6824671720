import { fingerprintValue } from '../transcript/fingerprint.ts';
import { partsOf } from './part-change.ts';
import type { CallPart } from '../transcript/entry.ts';
import type { EntryItem } from '../changes/view.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface ClearablePart {
  readonly view: ViewPart;
  /** The same call was made again later with the same arguments: this is the older answer. */
  readonly isRepeated: boolean;
}

/** Below this a placeholder costs as much as what it stands for. */
export const smallestClearableTokens = 80;

/**
 * Results and calls that clearing may touch, oldest first: not pinned, not folded, not cleared before, seen by the
 * model, and older than the newest `keepTokens` of them.
 */
export function clearableParts(input: StageInput, keepTokens: number): ClearablePart[] {
  const parts: ViewPart[] = [];
  const newestOfCall = new Map<string, ViewPart>();
  const repeated = new Set<ViewPart>();
  const callKeys = new Map<string, string>();
  for (const view of seenParts(input)) {
    if (view.part.type === 'call') callKeys.set(view.part.callId, callKey(view.part));
    if (view.part.type === 'result') {
      const key = callKeys.get(view.part.callId);
      const older = key === undefined ? undefined : newestOfCall.get(key);
      if (older) repeated.add(older);
      if (key !== undefined) newestOfCall.set(key, view);
    }
    if (isClearable(input, view)) parts.push(view);
  }
  return parts
    .slice(0, protectedStart(parts, keepTokens))
    .map((view) => ({ view, isRepeated: repeated.has(view) }));
}

function* seenParts(input: StageInput): Generator<ViewPart> {
  const { items, conversation, tailFrom } = input.view;
  const shift = items.length - conversation.entries.length;
  const first = Math.max(tailFrom, conversation.barrierAt);
  for (let position = first; position < conversation.answeredEnd; position += 1) {
    const item = items.at(position + shift);
    if (item?.type === 'entry' && hasTools(item)) yield* partsOf(input, item);
  }
}

function hasTools({ entry }: EntryItem): boolean {
  return entry.parts.some(({ type }) => type === 'call' || type === 'result');
}

function callKey({ name, input }: CallPart): string {
  return `${name} ${fingerprintValue(input.type === 'text' ? input.text : input.value)}`;
}

function isClearable(input: StageInput, { item, part, tokens, change }: ViewPart): boolean {
  if (tokens < smallestClearableTokens || input.pins.has(item.entry.ordinal)) return false;
  if (part.type === 'result') return part.isProviderExecuted !== true && change?.type !== 'result-cleared';
  return (
    part.type === 'call' &&
    part.isProviderExecuted !== true &&
    part.binding === undefined &&
    change === undefined
  );
}

/** Index of the oldest part that is among the newest `keepTokens`. */
function protectedStart(parts: readonly ViewPart[], keepTokens: number): number {
  let kept = 0;
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    kept += parts[index]?.tokens ?? 0;
    if (kept > keepTokens) return index + 1;
  }
  return 0;
}
