import type { Entry, Part } from '@throughline/core';

/** The rules of M1. One message list may break several. */
export const validityRules = [
  'result-answers-call-before',
  'every-call-answered',
  'no-id-answered-twice',
  'no-empty-message',
  'first-is-user',
  'signed-reasoning-unchanged',
] as const;

export type ValidityRule = (typeof validityRules)[number];

/**
 * M1: the broken rules of what would be sent. Written here from the definition alone; it shares no code with the
 * core's validator. A response may be several consecutive messages; the results of its calls follow it directly, so
 * parallel calls are whole. `signedBefore`: JSON of every signed reasoning part of the history.
 */
export function brokenRules(entries: readonly Entry[], signedBefore: ReadonlySet<string>): Set<ValidityRule> {
  const broken = new Set<ValidityRule>();
  let open = new Set<string>();
  let answered = new Set<string>();
  let wasResponse = false;
  const closeResponse = (): void => {
    if (open.size > 0) broken.add('every-call-answered');
    open = new Set();
    answered = new Set();
  };
  for (const entry of entries) {
    if (entry.parts.every(isNothing)) broken.add('no-empty-message');
    const results = entry.parts.filter((part) => part.type === 'result');
    const isResponse = entry.role === 'assistant';
    if (isResponse && !wasResponse) closeResponse();
    // A user's words between a response and its results part the pair.
    if (!isResponse && results.length === 0) closeResponse();
    for (const part of entry.parts) {
      if (part.type === 'call' && part.isProviderExecuted !== true) open.add(part.callId);
      if (part.type === 'reasoning' && isSigned(part) && !signedBefore.has(partJson(entry, part))) {
        broken.add('signed-reasoning-unchanged');
      }
      if (part.type !== 'result' || part.isProviderExecuted === true) continue;
      if (open.delete(part.callId)) answered.add(part.callId);
      else broken.add(answered.has(part.callId) ? 'no-id-answered-twice' : 'result-answers-call-before');
    }
    wasResponse = isResponse;
  }
  if (!wasResponse) closeResponse();
  const first = entries.find(({ role }) => role !== 'system');
  if (first?.role !== 'user') broken.add('first-is-user');
  return broken;
}

/** JSON of every signed reasoning part in `entry`. */
export function signedReasoningOf(entry: Entry): string[] {
  return entry.parts.filter(isSigned).map((part) => partJson(entry, part));
}

function isSigned(part: Part): boolean {
  return part.type === 'reasoning' && (part.opaqueLength > 0 || part.binding !== undefined);
}

function isNothing(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

const partTexts = new WeakMap<Part, string>();

/** The part as it lies in the wire message. */
function partJson(entry: Entry, part: Part): string {
  const known = partTexts.get(part);
  if (known !== undefined) return known;
  let value: unknown = entry.wire;
  for (const step of part.at) value = (value as Record<string | number, unknown> | null)?.[step];
  const text = JSON.stringify(value) ?? '';
  partTexts.set(part, text);
  return text;
}
