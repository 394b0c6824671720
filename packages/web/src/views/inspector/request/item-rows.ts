import { entryText } from '@throughline/core/internal';
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

/** All messages in their order; what was written stands in front of the first that it stands for. */
export function itemRows(inspected: Inspected, step: StepIndex, fates: readonly Fate[]): readonly ItemRow[] {
  const { items } = requestAt(inspected, step);
  const written = new Map<number, ItemRow[]>();
  for (const [at, item] of items.entries()) {
    if (item.type !== 'synthetic') continue;
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
    written.set(first, [...(written.get(first) ?? []), row]);
  }
  return fates.flatMap((fate): ItemRow[] => {
    const entry = inspected.transcript.conversation.entries.at(fate.ordinal);
    if (!entry) return [];
    const row: ItemRow = {
      type: 'message',
      key: `m${fate.ordinal}`,
      place: `m${fate.ordinal}`,
      role: entry.role,
      excerpt: excerptOf(entry),
      entry,
      fate,
    };
    return [...(written.get(fate.ordinal) ?? []), row];
  });
}

/** A slider asks for the same messages again and again. */
const excerpts = new WeakMap<Entry, string>();

function excerptOf(entry: Entry): string {
  const known = excerpts.get(entry) ?? makeExcerpt(entry);
  excerpts.set(entry, known);
  return known;
}

function makeExcerpt(entry: Entry): string {
  const calls = entry.parts.flatMap((part) => (part.type === 'call' ? [part.name] : []));
  const text = oneLine(entryText(entry));
  return calls.length === 0 ? text : `${calls.join(', ')}: ${text}`;
}

function oneLine(text: string): string {
  return text
    .slice(0, excerptCharacters * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptCharacters);
}
