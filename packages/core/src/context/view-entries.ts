import { editObject } from '../json/edit-object.ts';
import { toPartChanges } from '../changes/to-part-change.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Entry } from '../transcript/entry.ts';
import type { EntryItem, SyntheticItem, View, ViewItem } from '../changes/view.ts';

/** One message of a view as it would be sent, decoded, with where it comes from. */
export interface ViewEntry {
  readonly entry: Entry;
  readonly item: ViewItem;
}

// What an item renders to never changes, and items live as long as their view.
const rendered = new WeakMap<ViewItem, readonly ViewEntry[]>();

/** The messages of a view, from an item on, with its changes carried out. Untouched ones are the history's own entries. */
export function viewEntries<Message>(codec: Codec<Message>, view: View, from = 0): ViewEntry[] {
  const entries: ViewEntry[] = [];
  for (let index = from; index < view.items.length; index += 1) {
    const item = view.items.at(index);
    if (!item) continue;
    let known = rendered.get(item);
    if (!known) {
      known = item.type === 'entry' ? editedEntry(codec, item) : composedEntries(codec, item);
      rendered.set(item, known);
    }
    for (const one of known) entries.push(one);
  }
  return entries;
}

function editedEntry<Message>(codec: Codec<Message>, item: EntryItem): readonly ViewEntry[] {
  if (item.changes.length === 0) return [{ entry: item.entry, item }];
  const edits = codec.edit(item.entry, toPartChanges(item.entry, item.changes));
  const wire = editObject(item.entry.wire, edits);
  // Edits that leave nothing take the message with them.
  if (wire === undefined) return [];
  const entry = codec.decode(wire as Message, item.entry.ordinal);
  // A message that held only reasoning goes with it.
  return entry.parts.length === 0 && item.entry.parts.length > 0 ? [] : [{ entry, item }];
}

function composedEntries<Message>(codec: Codec<Message>, item: SyntheticItem): readonly ViewEntry[] {
  const { messages } = codec.compose(item.item);
  return messages.map((message) => ({ entry: codec.decode(message, item.change.anchor.first), item }));
}
