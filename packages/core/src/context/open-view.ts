import { fingerprintEntry } from '../transcript/fingerprint.ts';
import { isGap } from '../transcript/gap.ts';
import { joinTail, patchView, tailView } from '../changes/view.ts';
import { knownView, rememberView } from './known-views.ts';
import { rememberPlaces } from '../changes/known-places.ts';
import { positionOf } from '../transcript/conversation.ts';
import { replay } from '../changes/replay.ts';
import type { Admitted } from './state.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { View } from '../changes/view.ts';

export interface OpenedView {
  /** The changes in force that the history still has a place for, and those that admission has just made. */
  readonly live: readonly Change[];
  readonly admitted: readonly PartLevelChange[];
  /** Changes whose anchor the history has lost: the client rewound or edited. */
  readonly skipped: readonly Change[];
  readonly view: View;
  /** Estimated tokens of the view before admission. */
  readonly startTokens: number;
}

/** Admission of the results that stand in a view, from a position of the history on. */
export type AdmitResults = (view: View, from: number) => PartLevelChange[];

/**
 * The view of a history under its changes, every result in it admitted: no view is made any other way. Where the
 * history has only grown since the same changes were last asked for, the cost is that of what is new.
 */
export function openView(
  conversation: Conversation,
  changes: readonly Change[],
  admission: { readonly done: Admitted; readonly admit: AdmitResults },
): OpenedView {
  const from = firstNew(conversation, admission.done);
  const known = knownView(conversation, changes);
  const opened =
    known && known.view.conversation.entries.length <= from
      ? grown(conversation, known, (tail) => admission.admit(tail, from))
      : replayed(conversation, known?.changes ?? changes, (view, isCut) =>
          admission.admit(view, isCut ? 0 : from),
        );
  rememberPlaces(opened.admitted, conversation.entries);
  rememberView(opened.live, opened.view);
  return opened;
}

/**
 * Position of the first message that has not been through admission: 0 where the history is not the one that has. What
 * was not loaded has been.
 */
function firstNew(conversation: Conversation, { end, last }: Admitted): number {
  if (end === 0) return 0;
  const position = positionOf(conversation, end - 1);
  const entry = conversation.entries.at(position);
  return entry && (isGap(entry) || fingerprintEntry(entry) === last) ? position + 1 : 0;
}

function grown(
  conversation: Conversation,
  known: { readonly changes: readonly Change[]; readonly view: View },
  admit: (tail: View) => PartLevelChange[],
): OpenedView {
  const tail = tailView(known.view, conversation);
  const admitted = tail.items.length === 0 ? [] : admit(tail);
  const shown = patchView(tail, admitted, admitted);
  const view = joinTail(known.view, shown);
  return {
    live: admitted.length === 0 ? known.changes : [...known.changes, ...admitted],
    admitted,
    skipped: [],
    view,
    startTokens: view.tokens + tail.tokens - shown.tokens,
  };
}

function replayed(
  conversation: Conversation,
  changes: readonly Change[],
  admit: (view: View, isCut: boolean) => PartLevelChange[],
): OpenedView {
  const { view, skipped } = replay(conversation, changes);
  const gone = new Set(skipped);
  const placed = gone.size === 0 ? changes : changes.filter((change) => !gone.has(change));
  // What a lost range had hidden is back in the view, and with it results whose shortening went with the range.
  const admitted = admit(view, gone.size > 0);
  const live = admitted.length === 0 ? placed : [...placed, ...admitted];
  return { live, admitted, skipped, view: patchView(view, live, admitted), startTokens: view.tokens };
}
