import { isSummaryOfPi } from '../client-compactions.ts';
import { isRequest, ownWords } from '@throughline/core/internal';
import type { Entry } from '@throughline/core/codec';
import type { RecordedSession } from '@throughline/importers/text';

const titleCharacters = 80;

/** Longer beginnings of a request are not looked at. */
const readCharacters = 4_000;

/**
 * What the user said first, in one line; clients put texts of their own in front of it. A command of a client stands
 * there as it was typed. Ends with `…` where it was cut. `undefined` where nothing was said.
 */
export function taskTitle(entries: Iterable<Entry>): string | undefined {
  for (const entry of entries) {
    const title = isRequest(entry) && !isSummaryOfPi(entry) ? titleOf(ownWords(entry)) : '';
    if (title !== '') return title;
  }
  return undefined;
}

/** What a conversation of a file is called among the others; what its tool would not go on with says so. */
export function conversationTitle(session: RecordedSession): string {
  const { id, kind, title } = session;
  const name = title ?? taskTitle(entriesOf(session)) ?? id;
  return kind === 'active' ? name : `${name} (${kind})`;
}

/** Read one by one: most often the first one is enough. */
function* entriesOf({ codec, messages }: RecordedSession): Generator<Entry> {
  for (const [ordinal, message] of messages.entries()) yield codec.decode(message, ordinal);
}

function titleOf(words: string): string {
  const text = words.slice(0, readCharacters).trim();
  const line = withoutMarks(text).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  const isCut = characters.length > titleCharacters || words.trim().length > readCharacters;
  return isCut ? `${characters.slice(0, titleCharacters).join('').trimEnd()}…` : line;
}

/** The marks of a heading in markdown. */
const heading = /^#{1,6}\s/;

/** What clients say in front of a request in elements of one line: the time, which files there are. */
const notes = /^<(current_datetime|uploaded_files)>[^<]{0,1000}<\/\1>\s*/;

/** Names of elements around a whole request, or around its first part, say nothing to people. */
const marks = /^(?:<[a-z][\w-]{0,40}>\s*)+/;

function withoutMarks(text: string): string {
  const said = text.replace(notes, '').replace(heading, '');
  const begun = marks.exec(said)?.[0] ?? '';
  const names = [...begun.matchAll(/[\w-]+/g)].map(([name]) => name);
  return names.reduce((rest, name) => rest.replace(`</${name}>`, ' '), said.slice(begun.length));
}
