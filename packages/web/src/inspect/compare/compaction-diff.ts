import { entryText, isRangeChange, isRequest, namesOf, visitTexts } from '@throughline/core/internal';
import { viewAtPass } from '../request-at.ts';
import type { Entry } from '@throughline/core';
import type { ViewItem } from '@throughline/core/types';
import type { Inspected, InspectedPass } from '../inspected.ts';
import type { RequestAt } from '../request-at.ts';

/** A message, or part of what the engine wrote, that the model saw before a compaction and not behind it. */
export interface LostItem {
  /** `null`: the summary of an earlier compaction, which this one goes on from. */
  readonly ordinal: number | null;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
  /** It is still there, in part. */
  readonly isChanged: boolean;
}

type FactKind = 'user words' | NameKind;

/** Something that what went had said, and where it can still be read. */
export interface Fact {
  readonly kind: FactKind;
  readonly text: string;
  /** The last message that said it. */
  readonly ordinal: number | null;
  readonly mentions: number;
  /** `summary`: what was written in its place says it; `kept`: something that stayed; `missing`: only recall has it. */
  readonly foundIn: 'summary' | 'kept' | 'missing';
}

interface CompactionDiff {
  readonly pass: InspectedPass;
  /** Left: what went, oldest first. */
  readonly lost: readonly LostItem[];
  /** Right: what stands there now, as it is sent. */
  readonly written: string;
  readonly lostTokens: number;
  readonly writtenTokens: number;
  /** The user's words first, then by how often they were said. */
  readonly facts: readonly Fact[];
}

/**
 * What a compaction took, what it wrote in the place of it, and which of the facts in what went can still be read: names,
 * paths and numbers as the engine's own finder finds them, and what the user said. Nothing is asked of a model.
 */
export function compactionDiff(inspected: Inspected, pass: InspectedPass): CompactionDiff {
  const before = viewAtPass(inspected, pass.checkpoint, 'before');
  const after = viewAtPass(inspected, pass.checkpoint, 'after');
  const lost = lostItems(before, after);
  const fresh = pass.checkpoint.changes.filter(isRangeChange);
  const written = fresh.map(writtenText).join('\n\n');
  const writtenTokens = pass.checkpoint.changes.reduce((sum, { afterTokens }) => sum + afterTokens, 0);
  return {
    pass,
    lost,
    written,
    lostTokens: lost.reduce((sum, { tokens }) => sum + tokens, 0),
    writtenTokens,
    facts: factsOf(inspected, lost, { written, kept: textsOf(after, fresh.length > 0) }),
  };
}

type RangeChange = Extract<ViewItem, { readonly type: 'synthetic' }>['change'];

function writtenText(change: RangeChange): string {
  const index = change.type === 'range-compacted' ? change.factIndex : null;
  return index ? `${change.text}\n\n${index.text}` : change.text;
}

function lostItems(before: RequestAt, after: RequestAt): LostItem[] {
  const stays = new Map<number, ViewItem>();
  const writings = new Set<string>();
  for (const item of after.items) {
    if (item.type === 'entry') stays.set(item.entry.ordinal, item);
    else writings.add(syntheticText(item));
  }
  return before.items.flatMap((item): LostItem[] => {
    if (item.type === 'synthetic') {
      const text = syntheticText(item);
      if (writings.has(text)) return [];
      return [{ ordinal: null, role: item.item.role, text, tokens: item.tokens, isChanged: false }];
    }
    const { entry, tokens } = item;
    const now = stays.get(entry.ordinal);
    if (now?.type === 'entry' && now.changes.length === item.changes.length) return [];
    const lostTokens = now ? Math.max(0, tokens - now.tokens) : tokens;
    const text = now?.type === 'entry' ? changedText(entry, now.changes) : wholeText(entry);
    return [
      { ordinal: entry.ordinal, role: entry.role, text, tokens: lostTokens, isChanged: now !== undefined },
    ];
  });
}

function syntheticText({ item }: Extract<ViewItem, { readonly type: 'synthetic' }>): string {
  return item.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
}

function wholeText(entry: Entry): string {
  return textsIn(entry, () => true);
}

/** What was changed of a message that stays in part. */
function changedText(
  entry: Entry,
  changes: readonly { readonly anchor: { readonly part: number } }[],
): string {
  const changed = new Set(changes.map(({ anchor }) => anchor.part));
  return textsIn(entry, (part) => changed.has(part));
}

function textsIn(entry: Entry, isWanted: (part: number) => boolean): string {
  const texts: string[] = [];
  visitTexts(entry, (text, _source, part) => {
    if (isWanted(part)) texts.push(text);
  });
  return texts.join('\n');
}

/** What is still shown of the history itself, changes carried out. */
function textsOf({ messages, transcript }: RequestAt, hasWritten: boolean): string {
  return messages
    .filter(({ source }) => !hasWritten || source === 'entry')
    .map(({ message, ordinal }) => wholeText(transcript.codec.decode(message, ordinal ?? 0)))
    .join('\n');
}

interface Places {
  readonly written: string;
  readonly kept: string;
}

interface Mention {
  readonly ordinal: number | null;
  readonly mentions: number;
}

/** So many facts can be looked at; those said least often are left out. */
const mostFacts = 1_000;

function factsOf({ transcript }: Inspected, lost: readonly LostItem[], places: Places): readonly Fact[] {
  const names = new Map<string, Mention>();
  const words: Fact[] = [];
  for (const { ordinal, text, isChanged } of lost) {
    for (const name of namesOf(text)) {
      const before = names.get(name)?.mentions ?? 0;
      names.set(name, { ordinal, mentions: before + 1 });
    }
    const entry = ordinal === null ? undefined : transcript.conversation.entries.at(ordinal);
    if (!entry || isChanged || !isRequest(entry)) continue;
    const said = entryText(entry).trim();
    if (said !== '')
      words.push({ kind: 'user words', text: said, ordinal, mentions: 1, foundIn: wordsIn(said, places) });
  }
  const facts = [...names]
    .toSorted(([, a], [, b]) => b.mentions - a.mentions)
    .slice(0, mostFacts)
    .map(([text, mention]): Fact => ({
      kind: kindOf(text),
      text,
      ...mention,
      foundIn: placeOf(text, places),
    }));
  return [...words, ...facts];
}

const lookup = new WeakMap<
  Places,
  { readonly written: ReadonlySet<string>; readonly kept: ReadonlySet<string> }
>();

/** As a name of its own, or inside another text: `a.ts` in `src/a.ts` can still be read. */
function placeOf(name: string, places: Places): Fact['foundIn'] {
  const sets = lookup.get(places) ?? { written: namesOf(places.written), kept: namesOf(places.kept) };
  lookup.set(places, sets);
  if (sets.written.has(name) || saysName(places.written, name)) return 'summary';
  return sets.kept.has(name) || saysName(places.kept, name) ? 'kept' : 'missing';
}

/** Whole, whatever the white space: the timeline joins lines. */
function wordsIn(said: string, { written, kept }: Places): Fact['foundIn'] {
  const wanted = plain(said);
  if (plain(written).includes(wanted)) return 'summary';
  return plain(kept).includes(wanted) ? 'kept' : 'missing';
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

export type NameKind = 'path' | 'number' | 'name';

export function kindOf(name: string): NameKind {
  if (/^[\d.]+$/.test(name)) return 'number';
  return name.includes('/') || /[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(name) ? 'path' : 'name';
}

/** `a.ts` can be read in `src/a.ts`; a number inside of a longer one is another number. */
export function saysName(text: string, name: string): boolean {
  if (kindOf(name) !== 'number') return text.includes(name);
  return new RegExp(`(?<![\\d.])${name.replaceAll('.', '\\.')}(?!\\.?\\d)`).test(text);
}
