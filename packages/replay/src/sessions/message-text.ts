import { callInputText, callInputValue } from '@throughline/core/codec';
import type { Codec, Entry } from '@throughline/core';
import type { Part, ResultPiece } from '@throughline/core/codec';

/** A message as the metrics see it. Computed once for each message object. */
export interface SeenMessage {
  readonly entry: Entry;
  /** What it costs: everything a model reads, arguments as they are sent. */
  readonly costText: string;
  /** Images and files; each counts a flat number of tokens. */
  readonly mediaCount: number;
  /** What can be found in it: texts, results, and the strings and numbers inside arguments, unescaped. */
  readonly searchText: string;
  /** The same with the index of placeholders taken out. */
  readonly blankedText: string;
  /** The same without the list of names and numbers behind a summary, either. */
  readonly bareText: string;
  /**
   * The same in the units in which distance is counted: each result for itself, the rest together. Some formats put
   * the results of parallel calls into one message, others into one each; `far` must not depend on that.
   */
  readonly spots: readonly string[];
}

/** Reads messages of one format, each object once. */
export interface MessageReader {
  read(message: unknown): SeenMessage;
}

export function createMessageReader(codec: Codec): MessageReader {
  const known = new WeakMap<object, SeenMessage>();
  return {
    read(message) {
      if (typeof message !== 'object' || message === null) return seenMessage(codec.decode(message, 0));
      const found = known.get(message) ?? seenMessage(codec.decode(message, 0));
      known.set(message, found);
      return found;
    },
  };
}

export function seenMessage(entry: Entry): SeenMessage {
  const cost: string[] = [];
  const search: string[] = [];
  let mediaCount = 0;
  const add = (text: string): void => {
    if (text === '') return;
    cost.push(text);
    search.push(text);
  };
  const visit = (part: Part | ResultPiece): void => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return add(part.text);
      case 'call':
        cost.push(part.name, callInputText(part));
        search.push(part.name, ...leavesOf(callInputValue(part)));
        return;
      case 'result':
        return part.pieces.forEach(visit);
      case 'media':
        mediaCount += 1;
        return;
      case 'opaque':
        return leavesOf(part.value).forEach(add);
    }
  };
  const spots: string[] = [];
  let rest: string[] = [];
  for (const part of entry.parts) {
    const from = search.length;
    visit(part);
    const said = search.slice(from);
    if (part.type === 'result') spots.push(said.join('\n'));
    else rest = rest.concat(said);
  }
  // A user's words come after the results in the same message.
  if (spots.length === 0 || rest.length > 0) spots.push(rest.join('\n'));
  const searchText = search.join('\n');
  const blankedText = /\[cleared |\[names in what/.test(searchText)
    ? search.map(withoutIndex).join('\n')
    : searchText;
  const bareText = searchText.includes('[Names and numbers ')
    ? search.map(withoutLists).join('\n')
    : blankedText;
  return { entry, costText: cost.join('\n'), mediaCount, searchText, blankedText, bareText, spots };
}

/** Strings and numbers inside a value, in reading order. */
export function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string') leaves.push(next);
    else if (typeof next === 'number') leaves.push(String(next));
    else if (typeof next === 'object' && next !== null) stack.push(...Object.values(next).toReversed());
  }
  return leaves;
}

/** The last part of a message in which a text can be found. */
export function partHolding({ entry }: SeenMessage, text: string): Part | undefined {
  return entry.parts.findLast((part) => seenMessage({ ...entry, parts: [part] }).searchText.includes(text));
}

/** A placeholder that opens a text, and a second line: the index of what it stands for. */
const opening = /^\[cleared (?:result|argument) m\d[^\n]*\]\n/;
/** The index at the end of a result that was truncated. */
const closing = /\n\[names in what was left out\] [^\n]*$/;
/** The list of names and numbers behind a summary: its title and its lines, each behind the id of a message. */
const list = /^(\[Names and numbers [^\n]*\])(?:\nm\d[^\n]*)+/m;

/** One text of a message without the index of its placeholder; any other text as it is. */
export function withoutIndex(text: string): string {
  const match = opening.exec(text);
  return match ? match[0].trimEnd() : text.replace(closing, '');
}

/** One text of a message without the list behind a summary, either: its title stays. */
export function withoutLists(text: string): string {
  return withoutIndex(text).replace(list, '$1');
}
