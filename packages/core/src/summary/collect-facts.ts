import { endsFact } from './find-facts.ts';
import { FactCollector } from './fact-collector.ts';
import { visitTexts } from '../transcript/entry-text.ts';
import type { Entry, Role } from '../transcript/entry.ts';
import type { TextPart } from './fact-collector.ts';
import type { TextSource } from '../transcript/entry-text.ts';

const longArgumentChars = 300;

// What one mention says about later use: the user's words most, a line of a long listing least.
const weights: { readonly [Source in TextSource]: number } = {
  text: 2,
  argument: 3,
  reasoning: 1,
  result: 1,
  opaque: 1,
};
const userWeight = 4;

type Reading = 'whole' | 'ends' | 'nothing';

/** What is read of the messages at some depth of the history. */
interface Depth {
  /** Characters that are read there, newest first, before the next depth begins. */
  readonly mostCharacters: number;
  readonly reading: (text: string, source: TextSource) => Reading;
  /** Whose messages are read there. @default everyone's */
  readonly role?: Role;
}

/**
 * A window of text is read whole. Before it long results and arguments are read at their ends, which name nearly all
 * that is named again: 13 recorded sessions of more than 150 000 characters, opened at once, name as much of what comes
 * later as with every text read. Only a history that is opened for the first time when it is much larger has more than
 * that, and the index could not name a hundredth of it: of what lies further back, what was said is read, at last only
 * what the user said.
 */
const depths: readonly Depth[] = [
  { mostCharacters: 200_000, reading: () => 'whole' },
  {
    mostCharacters: 300_000,
    reading: (text, source) => (isSaid(text, source) ? 'whole' : 'ends'),
  },
  {
    mostCharacters: 300_000,
    reading: (text, source) => (isSaid(text, source) ? 'whole' : 'nothing'),
  },
  {
    mostCharacters: Infinity,
    role: 'user',
    reading: (_text, source) => (source === 'text' ? 'whole' : 'nothing'),
  },
];

/** The facts of the messages that are folded, oldest first. */
export function collectFacts(entries: readonly Entry[]): FactCollector {
  const collector = new FactCollector();
  const found = textsToRead(entries);
  for (let message = found.length - 1; message >= 0; message -= 1) {
    const { ordinal, texts } = found[message] as MessageTexts;
    for (let index = 0; index < texts.length; index += 1) {
      const { text, weight, isWhole } = texts[index] as ReadText;
      if (isWhole || text.length <= endCharacters) collector.add(text, ordinal, weight);
      else for (const end of endsOf(text)) collector.addPart(text, end, ordinal, weight);
    }
  }
  return collector;
}

interface MessageTexts {
  readonly ordinal: number;
  readonly texts: readonly ReadText[];
}

interface ReadText {
  readonly text: string;
  readonly weight: number;
  readonly isWhole: boolean;
}

/** What is read of each message, newest message first; messages of which nothing is read are left out. */
function textsToRead(entries: readonly Entry[]): MessageTexts[] {
  const found: MessageTexts[] = [];
  let place = 0;
  let depth = depths[place] as Depth;
  let left = depth.mostCharacters;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    if (left <= 0) {
      depth = depths[(place += 1)] as Depth;
      left = depth.mostCharacters;
    }
    const entry = entries[index] as Entry;
    if (depth.role !== undefined && depth.role !== entry.role) continue;
    const { reading } = depth;
    const texts: ReadText[] = [];
    visitTexts(entry, (text, source) => {
      const read = reading(text, source);
      if (read === 'nothing') return;
      const isWhole = read === 'whole';
      left -= isWhole ? text.length : Math.min(text.length, endCharacters);
      texts.push({ text, isWhole, weight: weightOf(entry, text, source) });
    });
    if (texts.length > 0) found.push({ ordinal: entry.ordinal, texts });
  }
  return found;
}

function isSaid(text: string, source: TextSource): boolean {
  return source === 'text' || (source === 'argument' && text.length <= longArgumentChars);
}

const headCharacters = 1_000;
const tailCharacters = 400;
const endCharacters = headCharacters + tailCharacters;

/** Head and tail of a long text, cut between words. */
function endsOf(text: string): TextPart[] {
  return [
    { first: 0, end: wordBorder(text, headCharacters, -1) },
    { first: wordBorder(text, text.length - tailCharacters, 1), end: text.length },
  ];
}

const longestWord = 260;

/** Where no fact can go on, going one way. What is longer than a word is none. */
function wordBorder(text: string, from: number, step: 1 | -1): number {
  let at = from;
  for (let left = longestWord; left > 0 && !endsFact(text.charCodeAt(at)); left -= 1) at += step;
  return at;
}

function weightOf({ role }: Entry, text: string, source: TextSource): number {
  if (source === 'text' && role === 'user') return userWeight;
  return source === 'argument' && text.length > longArgumentChars ? 1 : weights[source];
}
