import type { CallPart, Entry, ResultPart } from './entry.ts';

/** Each result by its call: real logs repeat ids, so the nearest earlier call counts. */
export function answersOf(entries: readonly Entry[]): Map<CallPart, ResultPart> {
  const open = new Map<string, CallPart>();
  const answers = new Map<CallPart, ResultPart>();
  for (const { parts } of entries) {
    for (const part of parts) {
      if (part.type === 'call') open.set(part.callId, part);
      if (part.type !== 'result') continue;
      const call = open.get(part.callId);
      if (call) answers.set(call, part);
    }
  }
  return answers;
}
