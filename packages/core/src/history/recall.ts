import { invalidOption } from '../errors/check-options.ts';
import { checkTranscript } from './check-input.ts';
import { exchangeAt, positionOf } from '../transcript/conversation.ts';
import { partText, resultText } from '../transcript/entry-text.ts';
import { givenMessage, isUnloaded } from '../transcript/entry.ts';
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
 * The original behind a recall id, whatever the view shows of it: a message (`m12`, with the results of its calls) or
 * one part of it (`m12.3`). Works without a model.
 *
 * @returns `undefined` for what is no recall id, when there is no such message or part, or when it was not loaded: a
 *   store has its own recall.
 * @throws {ContextError} `invalid-option` for an id that is no text, and for what is no transcript.
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
  const texts = [entry.parts.map(partText).join('\n')];
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
