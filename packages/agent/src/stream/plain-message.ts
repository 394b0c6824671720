import type { Json } from '@throughline/core';

/** What servers write on items of an answer and nobody has to send back where no reasoning belongs to them. */
const ownMarks: ReadonlySet<string> = new Set(['id', 'status']);
/** Kinds of a part that is nothing but text. */
const textTypes: ReadonlySet<Json | undefined> = new Set(['text', 'output_text']);

/**
 * A message of a driver in the one form that all its spellings share: without the server's own marks on it, and with a
 * list of one text as that text. Two messages that are the same in this form say the same.
 */
export function plainMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const fields = Object.entries(message)
    .filter(([name]) => !ownMarks.has(name))
    .map(([name, value]) => [name, name === 'content' ? plainContent(value) : value] as const);
  return Object.fromEntries(fields.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function plainContent(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const parts: readonly Json[] = content.map(withoutNothing);
  const [only] = parts;
  if (parts.length !== 1 || !isRecord(only) || !textTypes.has(only['type'])) return parts;
  const isBare = Object.keys(only).length === 2 && typeof only['text'] === 'string';
  return isBare ? only['text'] : parts;
}

/** Without `annotations: []` and the like. */
function withoutNothing(part: Json): Json {
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => !isNothing(value)));
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
