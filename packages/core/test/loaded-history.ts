import { isRangeChange } from '../src/changes/change.ts';
import { openLoadedTranscript } from '../src/history/open-loaded-transcript.ts';
import type { Change } from '../src/changes/change.ts';
import type { LoadedHistory } from '../src/history/open-loaded-transcript.ts';
import type { Transcript, TranscriptOptions } from '../src/history/transcript.ts';

/** What a store gives for these changes: all that no range hides, and of a hidden one what stays in the view. */
export function loadedFor<Message>(
  history: readonly Message[],
  changes: readonly Change[],
): LoadedHistory<Message> {
  const ranges = changes.filter(isRangeChange).map(({ anchor }) => anchor);
  const isHidden = (ordinal: number): boolean =>
    ranges.some(
      ({ first, end, lead, kept }) =>
        ordinal >= first && ordinal < end && !lead.includes(ordinal) && !kept.includes(ordinal),
    );
  const messages = history
    .map((message, ordinal) => ({ ordinal, message }))
    .filter(({ ordinal }) => !isHidden(ordinal));
  return { messages, historyLength: history.length, changes };
}

export function reopened<Message>(
  options: TranscriptOptions<Message>,
  history: readonly Message[],
  changes: readonly Change[],
): Transcript<Message> {
  return openLoadedTranscript(options, loadedFor(history, changes));
}

/** Of what may differ in the last bit, because it was added up in another order: no estimate lies at such a border. */
const asSum = (value: number): number => Math.floor(value * 1e4 + 0.37);

/** The value as JSON, without what anchors and jobs say of the content they are about. */
export function withoutFingerprints(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (key === 'runs' || key === 'sourceKey' || key === 'fingerprint') return undefined;
    return typeof member === 'number' ? asSum(member) : member;
  });
  return JSON.parse(text) as unknown;
}
