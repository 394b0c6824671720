import { checkOption, optionalText } from '../errors/check-options.ts';
import { checkTranscript } from './check-input.ts';
import { messageRecallId, partRecallId } from '../transcript/entry.ts';
import { visitTexts } from '../transcript/entry-text.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry, Part, RecallId, Role } from '../transcript/entry.ts';
import type { TextVisitor } from '../transcript/entry-text.ts';
import type { Transcript } from './transcript.ts';

/**
 * A message that `searchTranscript` found. `recallId` names one part of it where all that is shown lies in that part.
 */
export interface Found {
  readonly recallId: RecallId;
  readonly role: Role;
  /** The text around the hit: 80 characters to each side, 240 where no more than five hits are given. */
  readonly excerpt: string;
  /** Words that were searched for and the message does not hold. Absent where it holds all of them. */
  readonly missing?: readonly string[];
}

/**
 * Loaded messages that contain `query`, whatever its case, newest first, at most `limit` of them. Where none has it as it
 * stands, those that contain all of its words; where none does, those that hold most of what is rare in it, best first,
 * with the words that they lack. Of more than 24 words the longest are searched for. What a model has searched for before,
 * with a tool whose name ends in `recall`, and what it was answered is left out: it holds the words of the query.
 * Nothing is found for a blank query.
 *
 * @param limit @default 20; below 1 nothing is searched
 * @throws {ContextError} `invalid-option` for what is no transcript, and for a query that is no text.
 */
export function searchTranscript(transcript: Transcript, query: string, limit = 20): Found[] {
  checkTranscript(transcript);
  checkOption('query', optionalText, query);
  const { conversation } = transcript;
  const wanted = query.trim().toLowerCase();
  if (wanted === '' || limit < 1) return [];
  const searched = { ...conversation, recalls: recallsIn(conversation) };
  const whole = newestWith(searched, wanted, limit);
  const hits =
    whole.length > 0
      ? whole.map((place) => ({ place, held: [wanted], missing: [] }))
      : holdingWords(searched, wordsOf(wanted)).slice(0, limit);
  const aroundChars = hits.length > fewHits ? excerptChars : wideExcerptChars;
  return hits.map(({ place, held, missing }) => ({
    ...shownAround(place, held, { aroundChars, recalls: searched.recalls }),
    role: place.role,
    ...(missing.length > 0 && { missing }),
  }));
}

// A few hits are read at once; many are looked through.
const fewHits = 5;
const wideExcerptChars = 240;
const excerptChars = 80;
const mostWords = 24;
// A question ends in a mark that no text has behind the same word.
const marksAround = /^[.,;:!?"'“”‘’«»()[\]{}<>…]+|[.,;:!?"'“”‘’«»()[\]{}<>…]+$/g;

/** The words of a query, each once, in small letters, without the marks around them: the longest `most`. */
export function wordsOf(query: string, most = mostWords): readonly string[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const words = [...new Set(parts.map((part) => part.replace(marksAround, '') || part))];
  if (words.length <= most) return words;
  return words.toSorted((a, b) => b.length - a.length).slice(0, most);
}

interface Searched extends Pick<Conversation, 'entries'> {
  /** Calls of a recall tool, and their results. */
  readonly recalls: ReadonlySet<Part>;
}

const recallName = /(?:^|[^a-z])recall$/i;

function recallsIn({ entries }: Conversation): ReadonlySet<Part> {
  const calls = new Set<string>();
  const recalls = new Set<Part>();
  for (let position = 0; position < entries.length; position += 1) {
    for (const part of entries.at(position)?.parts ?? []) {
      if (part.type === 'call') {
        // Real logs repeat ids: the newest call counts.
        if (recallName.test(part.name)) calls.add(part.callId);
        else calls.delete(part.callId);
      }
      if ((part.type === 'call' || part.type === 'result') && calls.has(part.callId)) recalls.add(part);
    }
  }
  return recalls;
}

function visitSearched(entry: Entry, recalls: ReadonlySet<Part>, visit: TextVisitor): void {
  visitTexts(entry, (text, source, at) => {
    const part = entry.parts[at];
    if (!part || !recalls.has(part)) visit(text, source, at);
  });
}

interface Hit<Place> {
  readonly place: Place;
  /** The rarest first. */
  readonly held: readonly string[];
  readonly missing: readonly string[];
}

/**
 * What holds the words best, given for each word what holds it: what holds all of them; where nothing does, what holds at
 * least half as much of what is rare as the best. A word counts by how few hold it. Ties stay in the order of `places`.
 */
export function bestByWords<Place>(
  holders: ReadonlyMap<string, ReadonlySet<Place>>,
  places: readonly Place[],
): readonly Hit<Place>[] {
  const known = [...holders].filter(([, holding]) => holding.size > 0);
  const worth = new Map(known.map(([word, holding]) => [word, Math.log1p(places.length / holding.size)]));
  const worthOf = (words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (worth.get(word) ?? 0), 0);
  const rarestFirst = known
    .map(([word]) => word)
    .sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0) || b.length - a.length);
  const hits = places
    .map((place) => {
      const held = rarestFirst.filter((word) => holders.get(word)?.has(place));
      const missing = [...holders.keys()].filter((word) => !held.includes(word));
      return { place, held, missing, worth: worthOf(held) };
    })
    .filter(({ held }) => held.length > 0);
  const complete = hits.filter(({ missing }) => missing.length === 0);
  if (complete.length > 0) return complete;
  const best = hits.reduce((most, hit) => Math.max(most, hit.worth), 0);
  return hits.filter((hit) => hit.worth >= best / 2).sort((a, b) => b.worth - a.worth);
}

function holdingWords({ entries, recalls }: Searched, words: readonly string[]): readonly Hit<Entry>[] {
  const holders = new Map(words.map((word) => [word, new Set<Entry>()]));
  const newestFirst: Entry[] = [];
  for (let position = entries.length - 1; position >= 0; position -= 1) {
    const entry = entries.at(position);
    if (!entry) continue;
    newestFirst.push(entry);
    visitSearched(entry, recalls, (text) => {
      const lower = text.toLowerCase();
      for (const [word, holding] of holders) if (lower.includes(word)) holding.add(entry);
    });
  }
  return bestByWords(holders, newestFirst);
}

function newestWith({ entries, recalls }: Searched, wanted: string, limit: number): Entry[] {
  const found: Entry[] = [];
  for (let position = entries.length - 1; position >= 0 && found.length < limit; position -= 1) {
    const entry = entries.at(position);
    if (entry && placeIn(entry, wanted, recalls)) found.push(entry);
  }
  return found;
}

interface TextPlace {
  readonly part: number;
  readonly text: string;
  readonly at: number;
}

function placeIn(entry: Entry, wanted: string, recalls: ReadonlySet<Part>): TextPlace | undefined {
  let place: TextPlace | undefined;
  visitSearched(entry, recalls, (text, _source, part) => {
    if (place) return;
    const lower = text.toLowerCase();
    const at = lower.indexOf(wanted);
    // Some characters are longer in lower case: then places are those of that.
    if (at >= 0) place = { part, text: lower.length === text.length ? text : lower, at };
  });
  return place;
}

const mostPlaces = 3;

/** The text around the first of the words, and around the next ones that it does not show; the id returns all of it. */
function shownAround(
  entry: Entry,
  words: readonly string[],
  { aroundChars, recalls }: { readonly aroundChars: number; readonly recalls: ReadonlySet<Part> },
): Pick<Found, 'recallId' | 'excerpt'> {
  const excerpts: string[] = [];
  const parts = new Set<number>();
  for (const word of words) {
    if (excerpts.length === mostPlaces) break;
    if (excerpts.some((excerpt) => excerpt.toLowerCase().includes(word))) continue;
    const place = placeIn(entry, word, recalls);
    if (!place) continue;
    parts.add(place.part);
    excerpts.push(
      place.text
        .slice(Math.max(0, place.at - aroundChars), place.at + word.length + aroundChars)
        .toWellFormed(),
    );
  }
  const [part = 0] = parts;
  const isOfPart = parts.size === 1 && entry.parts.length > 1;
  const recallId = isOfPart ? partRecallId(entry.ordinal, part) : messageRecallId(entry.ordinal);
  return { recallId, excerpt: excerpts.join(' … ') };
}
