import type { SessionMessage } from '@throughline/core/codec';

/** What is wrong with the calls of a whole history: each result stands behind its answer, and each call has one. */
export function callFaults(messages: readonly SessionMessage[]): readonly string[] {
  const faults: string[] = [];
  let open: readonly string[] = [];
  for (const [index, { role, parts }] of messages.entries()) {
    if (role === 'tool') {
      for (const part of parts) {
        if (part.type !== 'result') continue;
        const at = open.indexOf(part.callId);
        if (at < 0) faults.push(`m${index}: ${part.callId} has no call`);
        else open = open.toSpliced(at, 1);
      }
      continue;
    }
    if (open.length > 0) faults.push(`m${index}: no result for ${open.join()}`);
    open = parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []));
  }
  return open.length > 0 ? [...faults, `at the end: no result for ${open.join()}`] : faults;
}
