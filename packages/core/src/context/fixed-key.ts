import { fingerprintRange } from '../transcript/fingerprint.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Transcript } from './transcript.ts';

/**
 * Fingerprint of what stands in front of every request and never changes because of a compaction: the tools, the
 * system text, and the system messages before the first request.
 */
export function fixedKey({ conversation, outsideKey }: Transcript): string {
  return `${outsideKey}.${fingerprintRange(leadingSystem(conversation.entries))}`;
}

function* leadingSystem(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) {
    if (entry.role !== 'system') return;
    yield entry;
  }
}
