import { createMemory } from '../transcript/memory.ts';
import type { Change } from './change.ts';
import type { Entry } from '../transcript/entry.ts';
import type { PersistentArray } from '../transcript/persistent-array.ts';

/** What is not in it is compared by fingerprint. */
const places = createMemory<Change, PersistentArray<Entry>>();

/** Remembers that these changes were made on this history, or found in it. */
export function rememberPlaces(changes: Iterable<Change>, entries: PersistentArray<Entry>): void {
  for (const change of changes) if (!isKnownPlace(change, entries)) places.remember(change, entries);
}

/** Whether the change is known to fit this history: it did before, and the history has only grown since. */
export function isKnownPlace(change: Change, entries: PersistentArray<Entry>): boolean {
  const known = places.recall(change);
  return known !== undefined && entries.isExtensionOf(known);
}
