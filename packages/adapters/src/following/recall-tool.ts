import { recall, searchTranscript } from '@throughline/core';
import { parseJson } from '@throughline/core/internal';
import type { Transcript } from '@throughline/core';
import type { Snapshot } from './fit.ts';

/** What a model is told about the tool that placeholders and summaries name. */
export const recallDefinition = {
  name: 'recall',
  description:
    'Returns what was shortened, cleared or summarised in this conversation, word for word. ' +
    'Give the id that a placeholder names (m12 or m12.3), or words to search for. ' +
    'A long text comes in pages: ask again with the offset that the page names.',
  parameters: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Id of a message or of a part of one: m12, m12.3' },
      query: { type: 'string', description: 'Words to search for, where no id is known' },
      offset: { type: 'integer', description: 'Where to go on reading, in characters' },
    },
    additionalProperties: false,
  },
} as const;

// About a fifth of the window for a page of text, so that a page is never cut again on its way in.
const pageShare = 0.2;
const charsPerToken = 3;
const mostPageChars = 20_000;
const leastPageChars = 500;

/** The answer to a call of the recall tool in a conversation; before its first request there is nothing to recall. */
export function answerRecallIn(snapshot: Snapshot | undefined, input: unknown): string {
  return snapshot
    ? answerRecall(snapshot.transcript, input, snapshot.windowTokens)
    : 'Nothing has been left out of this conversation.';
}

/** The answer to a call of the recall tool, for whatever a model hands in. Never throws. */
export function answerRecall(transcript: Transcript, input: unknown, windowTokens: number): string {
  const { id, query, offset } = readInput(input);
  if (id !== '') return page(transcript, id, { offset, windowTokens });
  if (query === '') return 'Give an id (m12 or m12.3) or a query.';
  const found = searchTranscript(transcript, query);
  if (found.length === 0) return `Nothing in this conversation contains "${query}".`;
  return found
    .map(({ recallId, role, excerpt, missing }) => `${recallId} (${role}): ${excerpt}${lacking(missing)}`)
    .join('\n');
}

function lacking(missing: readonly string[] = []): string {
  return missing.length === 0 ? '' : ` [without ${missing.join(', ')}]`;
}

function page(
  transcript: Transcript,
  id: string,
  { offset, windowTokens }: { readonly offset: number; readonly windowTokens: number },
): string {
  const text = recall(transcript, id)?.text;
  if (text === undefined) return `There is no ${id} in this conversation. Search with a query instead.`;
  // An empty answer looks like a fault of the tool, and some servers take none.
  if (text === '') return `${id} is empty.`;
  if (offset >= text.length)
    return `${id} has ${text.length} characters; there is nothing from ${offset} on.`;
  const fitting = Math.floor(windowTokens * pageShare * charsPerToken);
  const end = wholeEnd(text, offset + Math.max(leastPageChars, Math.min(mostPageChars, fitting)));
  const shown = text.slice(offset, end).toWellFormed();
  return end < text.length ? `${shown}\n[${text.length - end} characters left: offset ${end}]` : shown;
}

/** Not between the two halves of one character. */
function wholeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

interface RecallInput {
  readonly id: string;
  readonly query: string;
  readonly offset: number;
}

/** Some SDKs hand over the arguments as JSON text. */
function readInput(input: unknown): RecallInput {
  const value = typeof input === 'string' ? parseJson(input) : input;
  const { id, query, offset } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly [Name in keyof RecallInput]?: unknown;
  };
  return {
    id: typeof id === 'string' ? id.trim() : '',
    query: typeof query === 'string' ? query.trim() : '',
    offset: typeof offset === 'number' && offset > 0 ? Math.floor(offset) : 0,
  };
}
