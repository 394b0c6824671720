import { injectedKind } from './injected-text.ts';
import type { Entry, Part, TextPart } from './entry.ts';

/** The texts of a message that its author wrote, joined by line feeds: without what a tool put beside them. */
export function ownWords({ parts }: Entry): string {
  return joined(parts.filter((part) => isWords(part)));
}

/** A message in which a user says something, not only the transport of results, a tool's own text, or an empty one. */
export function isRequest(entry: Entry): boolean {
  return entry.role === 'user' && entry.parts.some((part) => part.type === 'media' || isWords(part));
}

/** A message on the user's side that is not empty, whoever wrote it. */
export function isSpoken({ role, parts }: Entry): boolean {
  return role === 'user' && parts.some((part) => part.type === 'media' || hasText(part));
}

/** A message on the user's side in which a tool says something and the user nothing. */
export function isInjected(entry: Entry): boolean {
  return !entry.parts.some(({ type }) => type === 'result') && isSpoken(entry) && !isRequest(entry);
}

function isWords(part: Part): part is TextPart {
  return hasText(part) && injectedKind(part.text) === undefined;
}

function hasText(part: Part): part is TextPart {
  return part.type === 'text' && part.text.trim() !== '';
}

function joined(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
