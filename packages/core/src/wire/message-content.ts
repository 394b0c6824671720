import type { WireRules } from '../codecs/codec.ts';
import { isBlank } from '../transcript/entry.ts';
import type { Entry, MediaPart, Part, Role } from '../transcript/entry.ts';

/** What a message counts as in the order of roles: where results travel in user messages, they are the user's. */
export function wireRole(role: Role, rules: WireRules): Role {
  return role === 'tool' && rules.resultsIn === 'user-message' ? 'user' : role;
}

/** What breaks the order of roles, and before which message. `index` is their number where the user never speaks. */
interface RoleFault {
  readonly rule: 'system-placement' | 'first-not-user' | 'consecutive-roles';
  readonly index: number;
  readonly role: Role;
}

/** @param lastBefore role of the last message before these that is not a system message */
export function roleFaults(
  roles: readonly Role[],
  rules: WireRules,
  lastBefore: Role | undefined,
): RoleFault[] {
  const faults: RoleFault[] = [];
  let last = lastBefore && wireRole(lastBefore, rules);
  for (const [index, own] of roles.entries()) {
    const role = wireRole(own, rules);
    if (role === 'system') {
      const isAllowed = rules.systemMessages === 'anywhere' || (rules.systemMessages === 'leading' && !last);
      if (!isAllowed) faults.push({ rule: 'system-placement', index, role });
      continue;
    }
    if (!last && role !== 'user' && rules.firstIsUser) faults.push({ rule: 'first-not-user', index, role });
    if (role === last && clashes(roles, index, rules))
      faults.push({ rule: 'consecutive-roles', index, role });
    last = role;
  }
  if (!last && rules.firstIsUser && roles.length > 0)
    faults.push({ rule: 'first-not-user', index: roles.length, role: 'user' });
  return faults;
}

/** Result messages and the items of one response stand in a row by their nature. */
function clashes(roles: readonly Role[], index: number, rules: WireRules): boolean {
  if (rules.allowsConsecutiveRoles || wireRole(roles[index] ?? 'user', rules) === 'tool') return false;
  const isAnswer = roles[index] === 'assistant' && roles[index - 1] === 'assistant';
  return !(isAnswer && rules.entriesPerResponse === 'many');
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
