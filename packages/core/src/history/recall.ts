import { invalidOption } from '../errors/check-options.ts';
import { checkTranscript } from './check-input.ts';
import { exchangeAt, positionOf } from '../transcript/conversation.ts';
import { partText, resultText, visitTexts } from '../transcript/entry-text.ts';
import { givenMessage, messageRecallId, partRecallId, isUnloaded } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry, RecallId, Role } from '../transcript/entry.ts';
import type { Transcript } from './transcript.ts';

/** Something archived, as it was. */
export interface Recalled {
  readonly recallId: RecallId;
  readonly role: Role;
  /** Readable form of all that was asked for. */
  readonly text: string;
  /** The wire message itself. */
  readonly message: unknown;
}

const grammar = /^m(\d{1,15})(?:\.(\d{1,9}))?$/;

/**
 * The original behind a recall id, whatever the view shows of it. Works without a model.
 *
 * @returns `undefined` when there is no such message or part, or when it was not loaded: a store has its own recall.
 */
export function recall(transcript: Transcript, id: string): Recalled | undefined {
  checkTranscript(transcript);
  if (typeof id !== 'string') throw invalidOption('id', 'a recall id, as m12', id);
  const { conversation } = transcript;
  const match = grammar.exec(id.trim());
  if (!match) return undefined;
  const entry = conversation.entries.at(positionOf(conversation, Number(match[1])));
  if (!entry || isUnloaded(entry)) return undefined;
  const text = match[2] === undefined ? exchangeText(conversation, entry) : textAt(entry, Number(match[2]));
  if (text === undefined) return undefined;
  return { recallId: id.trim() as RecallId, role: entry.role, text, message: givenMessage(entry) };
}

/** A message; behind one with calls what came back, which the summary tells under the id of the call. */
function exchangeText(conversation: Conversation, entry: Entry): string {
  const calls = new Set(entry.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : [])));
  const texts = [entryText(entry)];
  const position = positionOf(conversation, entry.ordinal);
  const end = exchangeAt(conversation, position)?.end ?? position + 1;
  for (let next = position + 1; next < end && calls.size > 0; next += 1) {
    for (const part of conversation.entries.at(next)?.parts ?? []) {
      if (part.type === 'result' && calls.delete(part.callId)) texts.push(resultText(part));
    }
  }
  return texts.join('\n\n');
}

function textAt({ parts }: Entry, index: number): string | undefined {
  const part = parts[index];
  return part && partText(part);
}

function entryText(entry: Entry): string {
  return entry.parts.map(partText).join('\n');
}

export interface Found {
  readonly recallId: RecallId;
  readonly role: Role;
  /** The text around the hit. */
  readonly excerpt: string;
}

const excerptChars = 80;

/**
 * Loaded messages that contain `query`, whatever its case, newest first, at most `limit` of them; where none has it as it
 * stands, those that contain all of its words.
 */
export function searchTranscript({ conversation }: Transcript, query: string, limit = 20): Found[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const found = newestWith(conversation, [wanted], limit);
  const words = [...new Set(wanted.split(/\s+/))];
  return found.length > 0 || words.length === 1 ? found : newestWith(conversation, words, limit);
}

function newestWith({ entries }: Conversation, words: readonly string[], limit: number): Found[] {
  const found: Found[] = [];
  for (let position = entries.length - 1; position >= 0 && found.length < limit; position -= 1) {
    const entry = entries.at(position);
    const hit = entry && firstHit(entry, words);
    if (hit) found.push(hit);
  }
  return found;
}

/** The first place of one of the words in a message that contains them all; the longest says most. */
function firstHit(entry: Entry, words: readonly string[]): Found | undefined {
  const missing = new Set(words);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  let hit: Found | undefined;
  visitTexts(entry, (text, _source, part) => {
    if (hit && missing.size === 0) return;
    const lower = text.toLowerCase();
    for (const word of missing) if (lower.includes(word)) missing.delete(word);
    const at = lower.indexOf(longest);
    if (hit || at < 0) return;
    // Some characters are longer in lower case: then places are those of that.
    const excerpt = (lower.length === text.length ? text : lower)
      .slice(Math.max(0, at - excerptChars), at + longest.length + excerptChars)
      .toWellFormed();
    const recallId =
      entry.parts.length > 1 ? partRecallId(entry.ordinal, part) : messageRecallId(entry.ordinal);
    hit = { recallId, role: entry.role, excerpt };
  });
  return missing.size === 0 ? hit : undefined;
}
