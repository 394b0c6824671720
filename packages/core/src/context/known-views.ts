import { sameChanges } from '../changes/change-key.ts';
import type { Change } from '../changes/change.ts';
import type { Conversation, MeasureEntry } from '../transcript/conversation.ts';
import type { View } from '../changes/view.ts';

interface KnownView {
  /** A state that went through JSON holds an equal list, not the same one. */
  readonly changes: readonly Change[];
  readonly view: View;
}

// A memory, never a source of truth: what is not in it is replayed, with the same result. By history and by nothing
// else: whoever holds an old list of changes must not keep the histories alive that came after it.
const known = new WeakMap<MeasureEntry, readonly KnownView[]>();

/** Of one history: the state of now, and one that is being looked at beside it. */
const mostViews = 2;

export function rememberView(changes: readonly Change[], view: View): void {
  const { measure } = view.conversation;
  const others = (known.get(measure) ?? []).filter((one) => one.changes !== changes);
  known.set(measure, [{ changes, view }, ...others].slice(0, mostViews));
}

/** The view of these changes on an earlier state of this history, with the list it was made of. */
export function knownView(conversation: Conversation, changes: readonly Change[]): KnownView | undefined {
  const views = known.get(conversation.measure) ?? [];
  return views.find(
    (one) =>
      conversation.entries.isExtensionOf(one.view.conversation.entries) && sameChanges(one.changes, changes),
  );
}
