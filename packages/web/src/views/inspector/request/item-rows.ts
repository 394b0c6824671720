import { messageText } from '../../../inspect/message-text.ts';
import { requestAt } from '../../../inspect/request-at.ts';
import type { Entry } from '@throughline/core';
import type { Fate } from '../../../inspect/fates.ts';
import type { Inspected, StepIndex } from '../../../inspect/inspected.ts';

/** A line of a request: a message of the history, or what the engine wrote in the place of some. */
export type ItemRow =
  | {
      readonly type: 'message';
      readonly key: string;
      readonly place: string;
      readonly role: string;
      readonly excerpt: string;
      readonly entry: Entry;
      readonly fate: Fate;
    }
  | {
      readonly type: 'written';
      readonly key: string;
      readonly place: string;
      readonly role: string;
      readonly excerpt: string;
      readonly text: string;
      readonly tokens: number;
    };

const excerptCharacters = 240;

/** All messages in their order; what was written stands where it is sent: behind the message that is in front of it. */
export function itemRows(inspected: Inspected, step: StepIndex, fates: readonly Fate[]): readonly ItemRow[] {
  const written = writtenRows(inspected, step);
  const rows = fates.flatMap((fate): readonly ItemRow[] => {
    const entry = inspected.transcript.conversation.entries.at(fate.ordinal);
    if (!entry) return [];
    const place = `m${fate.ordinal}`;
    const { role } = entry;
    const row: ItemRow = { type: 'message', key: place, place, role, excerpt: excerptOf(entry), entry, fate };
    return [row, ...(written.get(fate.ordinal) ?? [])];
  });
  return [...(written.get(-1) ?? []), ...rows];
}

/** By the ordinal of the message that is sent in front of them; -1 for the beginning. */
function writtenRows(inspected: Inspected, step: StepIndex): ReadonlyMap<number, readonly ItemRow[]> {
  const written = new Map<number, ItemRow[]>();
  let behind = -1;
  for (const [at, item] of requestAt(inspected, step).items.entries()) {
    if (item.type === 'entry') {
      behind = item.entry.ordinal;
      continue;
    }
    const { first, end } = item.change.anchor;
    const text = item.item.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
    const row: ItemRow = {
      type: 'written',
      key: `w${at}`,
      place: `m${first}–m${end - 1}`,
      role: item.item.role,
      excerpt: oneLine(text),
      text,
      tokens: item.tokens,
    };
    written.set(behind, [...(written.get(behind) ?? []), row]);
  }
  return written;
}

/** A slider asks for the same messages again and again. */
const excerpts = new WeakMap<Entry, string>();

function excerptOf(entry: Entry): string {
  const known = excerpts.get(entry) ?? (oneLine(messageText(entry)) || unreadable(entry));
  excerpts.set(entry, known);
  return known;
}

function unreadable({ role, parts }: Entry): string {
  if (parts.some(({ type }) => type === 'reasoning')) return '(reasoning that only the provider can read)';
  return role === 'tool' || parts.some(({ type }) => type === 'result') ? '(no output)' : '(no text)';
}

function oneLine(text: string): string {
  return text
    .slice(0, excerptCharacters * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptCharacters);
}
