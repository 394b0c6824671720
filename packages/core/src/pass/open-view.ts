import { sameChanges } from '../changes/change.ts';
import { rememberPlaces, replay } from '../changes/replay.ts';
import { joinTail, patchView, tailView } from '../changes/view.ts';
import { positionOf } from '../transcript/conversation.ts';
import { fingerprintEntry } from '../transcript/fingerprint.ts';
import { createMemory } from '../transcript/memory.ts';
import { isUnloaded } from '../transcript/entry.ts';
import type { View } from '../changes/view.ts';
import type { Conversation, MeasureEntry } from '../transcript/conversation.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
import type { TruncationProgress } from './state.ts';

interface OpenedView {
  /** The changes in force that the history still has a place for, and those that truncation has just made. */
  readonly live: readonly Change[];
  readonly truncated: readonly PartLevelChange[];
  /** Changes whose anchor the history has lost: the client rewound or edited. */
  readonly skipped: readonly Change[];
  readonly view: View;
  /** Estimated tokens of the view before truncation. */
  readonly startTokens: number;
}

/** Truncation of the results that stand in a view, from a position of the history on. */
type TruncateResults = (view: View, from: number) => PartLevelChange[];

/**
 * The view of a history under its changes, every result in it truncated to its limits: no view is made any other way. Where the
 * history has only grown since the same changes were last asked for, the cost is that of what is new.
 */
export function openView(
  conversation: Conversation,
  changes: readonly Change[],
  truncation: { readonly done: TruncationProgress; readonly truncateResults: TruncateResults },
): OpenedView {
  const from = firstNew(conversation, truncation.done);
  const known = knownView(conversation, changes);
  const opened =
    known && known.view.conversation.entries.length <= from
      ? grown(conversation, known, (tail) => truncation.truncateResults(tail, from))
      : replayed(conversation, known?.changes ?? changes, (view, isCut) =>
          truncation.truncateResults(view, isCut ? 0 : from),
        );
  rememberPlaces(opened.truncated, conversation.entries);
  rememberView(opened.live, opened.view);
  return opened;
}

/**
 * Position of the first message that has not been truncated: 0 where the history is not the one that has. What
 * was not loaded has been.
 */
function firstNew(conversation: Conversation, { end, last }: TruncationProgress): number {
  if (end === 0) return 0;
  const position = positionOf(conversation, end - 1);
  const entry = conversation.entries.at(position);
  return entry && (isUnloaded(entry) || fingerprintEntry(entry) === last) ? position + 1 : 0;
}

function grown(
  conversation: Conversation,
  known: KnownView,
  truncateResults: (tail: View) => PartLevelChange[],
): OpenedView {
  const tail = tailView(known.view, conversation);
  const truncated = tail.items.length === 0 ? [] : truncateResults(tail);
  const shown = patchView(tail, truncated, truncated);
  const view = joinTail(known.view, shown);
  return {
    live: truncated.length === 0 ? known.changes : [...known.changes, ...truncated],
    truncated,
    skipped: [],
    view,
    startTokens: view.tokens + tail.tokens - shown.tokens,
  };
}

function replayed(
  conversation: Conversation,
  changes: readonly Change[],
  truncateResults: (view: View, isCut: boolean) => PartLevelChange[],
): OpenedView {
  const { view, skipped } = replay(conversation, changes);
  const gone = new Set(skipped);
  const placed = gone.size === 0 ? changes : changes.filter((change) => !gone.has(change));
  // What a lost range had hidden is back in the view, and with it results whose truncation went with the range.
  const truncated = truncateResults(view, gone.size > 0);
  const live = truncated.length === 0 ? placed : [...placed, ...truncated];
  return { live, truncated, skipped, view: patchView(view, live, truncated), startTokens: view.tokens };
}

interface KnownView {
  /** A state that went through JSON holds an equal list, not the same one. */
  readonly changes: readonly Change[];
  readonly view: View;
}

// What is not in it is replayed. By history and by nothing else: whoever holds an old list of changes must not keep the
// histories alive that came after it.
const known = createMemory<MeasureEntry, readonly KnownView[]>();

/** So many for one history: the state of now, and one that is being looked at beside it. */
const mostViews = 2;

export function rememberView(changes: readonly Change[], view: View): void {
  const { measure } = view.conversation;
  const others = (known.recall(measure) ?? []).filter((one) => one.changes !== changes);
  known.remember(measure, [{ changes, view }, ...others].slice(0, mostViews));
}

/** The view of these changes on an earlier state of this history, with the list it was made of. */
function knownView(conversation: Conversation, changes: readonly Change[]): KnownView | undefined {
  const views = known.recall(conversation.measure) ?? [];
  return views.find(
    (one) =>
      conversation.entries.isExtensionOf(one.view.conversation.entries) && sameChanges(one.changes, changes),
  );
}
