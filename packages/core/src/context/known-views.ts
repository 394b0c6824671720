import { sameChanges } from '../changes/change-key.ts';
import type { Change } from '../changes/change.ts';
import type { Conversation, MeasureEntry } from '../transcript/conversation.ts';
import type { View } from '../changes/view.ts';

// A memory, never a source of truth: what is not in it is replayed, with the same result.
const views = new WeakMap<readonly Change[], View>();
/** The newest list of changes per history: a state that went through JSON holds an equal list, not the same one. */
const newest = new WeakMap<MeasureEntry, readonly Change[]>();

export function rememberView(changes: readonly Change[], view: View): void {
  views.set(changes, view);
  newest.set(view.conversation.measure, changes);
}

/** The view of these changes on an earlier state of this history, with the list it was made of. */
export function knownView(
  conversation: Conversation,
  changes: readonly Change[],
): { readonly changes: readonly Change[]; readonly view: View } | undefined {
  for (const list of [changes, newest.get(conversation.measure)]) {
    const view = list && views.get(list);
    if (!list || !view || !conversation.entries.isExtensionOf(view.conversation.entries)) continue;
    if (sameChanges(list, changes)) return { changes: list, view };
  }
  return undefined;
}
