import type { WireRules } from '../codecs/codec.ts';
import { isBlank } from '../transcript/entry.ts';
import type { Entry, MediaPart, Part } from '../transcript/entry.ts';

/** What a message counts as in the order of roles: where results travel in user messages, they are the user's. */
export function wireRole(role: Entry['role'], rules: WireRules): Entry['role'] {
  return role === 'tool' && rules.resultsIn === 'user-message' ? 'user' : role;
}

/** No part, or nothing but blank texts. */
export function isEmpty(parts: readonly Part[]): boolean {
  return parts.every(isBlank);
}

/** Reasoning, and beside it at most blank text. */
export function isReasoningOnly(parts: readonly Part[]): boolean {
  return parts.some((part) => part.type === 'reasoning') && parts.every(isReasoningOrBlank);
}

function isReasoningOrBlank(part: Part): boolean {
  return part.type === 'reasoning' || isBlank(part);
}

/** Formats of content blocks refuse an empty text block even beside other blocks; the others take it. */
export function refusesBlankText(rules: WireRules): boolean {
  return rules.resultsIn === 'user-message';
}

/** Calls and reasoning belong to the assistant. */
export function isMisplaced(part: Part, role: Entry['role']): boolean {
  return role !== 'assistant' && (part.type === 'call' || part.type === 'reasoning');
}

interface FoundMedia {
  readonly media: MediaPart;
  readonly part: number;
  readonly piece?: number;
}

/** Media where the format takes none, in messages and inside results. */
export function refusedMedia(entry: Entry, rules: WireRules): FoundMedia[] {
  const found: FoundMedia[] = [];
  const takes = { ...rules.mediaIn, system: false, tool: rules.mediaIn.result };
  for (const [index, part] of entry.parts.entries()) {
    if (part.type === 'media' && !takes[entry.role]) found.push({ media: part, part: index });
    if (part.type !== 'result' || takes.result) continue;
    for (const [piece, media] of part.pieces.entries()) {
      if (media.type === 'media') found.push({ media, part: index, piece });
    }
  }
  return found;
}

/**
 * Reasoning of one response that is bound to the item after it, which is missing: only reasoning follows. `parts`
 * are the parts of the response in order. Returns the positions from which on nothing but reasoning stands.
 */
export function strandedFrom(parts: readonly Part[]): number {
  let from = parts.length;
  while (from > 0 && isReasoningOrBlank(parts[from - 1] as Part)) from -= 1;
  return from;
}

/** The text at the end of a last message of the assistant, where the format refuses the white space behind it. */
export function trailingSpace(
  entries: readonly Entry[],
  { trimsLastAnswer }: WireRules,
): { readonly entry: number; readonly part: number } | undefined {
  const entry = entries.length - 1;
  const last = entries[entry];
  if (trimsLastAnswer !== true || last?.role !== 'assistant') return undefined;
  const part = last.parts.length - 1;
  const end = last.parts[part];
  return end?.type === 'text' && !isBlank(end) && end.text !== end.text.trimEnd()
    ? { entry, part }
    : undefined;
}
