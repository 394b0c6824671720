import { fingerprintRange, fingerprintSum, isFingerprintSum } from '../transcript/fingerprint.ts';
import { isUnloaded } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { OrdinalRun, RangeId, UnloadedRange } from '../transcript/entry.ts';

/** The fingerprint of a range whose messages nobody can compare: it is never found again. */
const unknownContent = '';

/**
 * What an anchor says of the content of messages `[first, end)`. Where some of them were not loaded, the ranges that
 * stand for those count by what their own anchors say.
 */
export function rangeIdOf(conversation: Conversation, range: OrdinalRun): RangeId {
  const unloadedRanges = unloadedRangesIn(conversation, range);
  if (unloadedRanges.length === 0) return { fingerprint: fingerprintOf(conversation, range) };
  const [only] = unloadedRanges;
  if (only && only.first === range.first && only.end === range.end) return only;
  return {
    fingerprint: sumOf(conversation, range, unloadedRanges) ?? unknownContent,
    runs: unloadedRanges.flatMap(({ first, end, runs }) => runs ?? [{ first, end }]),
  };
}

/**
 * Whether a range is what it was when its id was made: message by message where all of them are at hand; where a range
 * inside it was not loaded, by that range's own id and the messages beside it.
 */
export function hasRangeId(conversation: Conversation, range: UnloadedRange): boolean {
  if (range.fingerprint === unknownContent) return false;
  if (range.runs === undefined || unloadedRangesIn(conversation, range).length > 0)
    return rangeIdOf(conversation, range).fingerprint === range.fingerprint;
  return sumOf(conversation, range, range.runs) === range.fingerprint;
}

function unloadedRangesIn(
  { unloadedRanges }: Conversation,
  { first, end }: OrdinalRun,
): readonly UnloadedRange[] {
  return unloadedRanges.length === 0
    ? unloadedRanges
    : unloadedRanges.filter((one) => first <= one.first && one.end <= end);
}

function fingerprintOf(conversation: Conversation, { first, end }: OrdinalRun): string {
  const from = positionOf(conversation, first);
  return fingerprintRange(conversation.entries.slice(from, positionOf(conversation, end - 1) + 1));
}

/** `undefined` where the runs do not follow each other inside the range, or where a message beside them is missing. */
function sumOf(
  conversation: Conversation,
  range: OrdinalRun,
  runs: readonly (OrdinalRun & Partial<UnloadedRange>)[],
): string | undefined {
  const parts: string[] = [];
  const sums: string[] = [];
  let next = positionOf(conversation, range.first);
  const addUntil = (position: number): boolean => {
    for (; next < position; next += 1) {
      const entry = conversation.entries.at(next);
      if (!entry || isUnloaded(entry)) return false;
      parts.push(`${entry.ordinal} ${fingerprintRange([entry])}`);
    }
    return next === position;
  };
  for (const run of runs) {
    const { first, end } = run;
    const after = positionOf(conversation, end - 1) + 1;
    if (!addUntil(positionOf(conversation, first)) || after <= next) return undefined;
    const fingerprint = run.fingerprint ?? fingerprintOf(conversation, run);
    if (isFingerprintSum(fingerprint)) sums.push(fingerprint);
    else parts.push(`${first} ${end} ${fingerprint}`);
    next = after;
  }
  return addUntil(positionOf(conversation, range.end - 1) + 1) ? fingerprintSum(parts, sums) : undefined;
}
