import { countText } from '../tokens/measure-entry.ts';
import { checkOption } from '../errors/check-options.ts';
import { checkView } from './check-input.ts';
import { visitTexts } from '../transcript/entry-text.ts';
import type { OptionCheck } from '../errors/check-options.ts';
import type { View } from '../changes/view.ts';
import type { Codec, Composed } from '../codecs/codec.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Entry } from '../transcript/entry.ts';

/**
 * What changes from step to step and is not part of the history: working memory, the date, the state of a todo list.
 * It stands at the very end of the request, so that the prefix before it stays the same and cached.
 */
export type DynamicContext = readonly string[];

/** One user message that holds the notes, in the order given; none where there is nothing to say. */
export function composeNotes<Message>(
  codec: Codec<Message>,
  notes: DynamicContext,
): Composed<Message>['messages'] {
  const text = joined(notes);
  if (text === '') return [];
  return codec.compose({ role: 'user', kind: 'note', parts: [{ type: 'text', text }] }).messages;
}

/** Estimated tokens of that message. */
export function countNotes(notes: DynamicContext, estimator: Estimator): number {
  return countText(joined(notes), estimator);
}

function joined(notes: DynamicContext): string {
  return notes
    .filter((note) => note !== '')
    .join('\n\n')
    .toWellFormed();
}

/**
 * Those of these tools that the view still names: in a call, or in the text of a message. A tool that was discovered in
 * messages which are compacted now goes with them, and can be discovered again.
 *
 * @throws {ContextError} `invalid-option` for what is no view, and for names that are no list.
 */
export function toolsInView(view: View, names: Iterable<string>): string[] {
  checkView(view);
  checkOption('names', aListOfNames, names);
  const { items } = view;
  const wanted = new Set(names);
  const found = new Set<string>();
  for (const item of items) {
    if (found.size === wanted.size) break;
    if (item.type === 'entry') collectNames(item.entry, wanted, found);
    else for (const part of item.item.parts) if (part.type === 'text') collectFrom(part.text, wanted, found);
  }
  return [...wanted].filter((name) => found.has(name));
}

const aListOfNames: OptionCheck = {
  expected: 'a list of names',
  fits: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
};

function collectNames(entry: Entry, wanted: ReadonlySet<string>, found: Set<string>): void {
  for (const part of entry.parts) if (part.type === 'call' && wanted.has(part.name)) found.add(part.name);
  visitTexts(entry, (text) => collectFrom(text, wanted, found));
}

// A name as a whole: `read` is not named by "already read_file".
const words = /[\p{L}\p{N}_]+(?:[.:/-][\p{L}\p{N}_]+)*/gu;

function collectFrom(text: string, wanted: ReadonlySet<string>, found: Set<string>): void {
  for (const [word] of text.matchAll(words)) {
    if (wanted.has(word)) found.add(word);
  }
}
