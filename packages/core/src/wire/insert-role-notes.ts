import type { Role } from '../transcript/entry.ts';
import type { CheckOptions } from './check-options.ts';
import type { Draft } from './draft.ts';
import type { PlacedItem } from './lay-out-items.ts';
import { wireRole } from './message-content.ts';
import { roleNote } from './notes.ts';
import type { RepairedItem } from './repaired.ts';

/** Puts constant notes where the order of roles needs them: before a first message that is not the user's, and between
 *  two messages of one role. */
export function insertRoleNotes(
  draft: Draft,
  placed: readonly PlacedItem[],
  { continues }: CheckOptions,
): RepairedItem[] {
  const { rules, entries, repairs } = draft;
  const items: RepairedItem[] = [];
  let last: Role | undefined = continues && wireRole(continues.lastRole, rules);
  const add = (role: 'user' | 'assistant', before: number): void => {
    items.push({ type: 'synthetic', item: roleNote(role) });
    repairs.push({ type: 'note-added', before, role });
  };
  for (const [index, { item, entry }] of placed.entries()) {
    const role = wireRole(roleOf(item, draft), rules);
    if (role !== 'system') {
      if (!last && role !== 'user' && rules.firstIsUser) add('user', entry);
      const isSameResponse = rules.entriesPerResponse === 'many' && isAssistant(placed[index - 1], draft);
      if (
        role === last &&
        !rules.allowsConsecutiveRoles &&
        role !== 'tool' &&
        !(role === 'assistant' && isSameResponse)
      ) {
        add(role === 'user' ? 'assistant' : 'user', entry);
      }
      last = role;
    }
    items.push(item);
  }
  // Of nothing no note makes a request.
  if (!last && rules.firstIsUser && items.length > 0) add('user', entries.length);
  return items;
}

function isAssistant(placed: PlacedItem | undefined, draft: Draft): boolean {
  return placed !== undefined && roleOf(placed.item, draft) === 'assistant';
}

function roleOf(item: RepairedItem, draft: Draft): Role {
  if (item.type === 'synthetic') return item.item.role;
  if (item.type === 'entry') return draft.entries[item.index]?.role ?? 'user';
  const [first] = item.items;
  return first ? roleOf(first, draft) : 'user';
}
