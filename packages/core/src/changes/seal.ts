import { fingerprintBetween } from '../transcript/fingerprint.ts';
import { fingerprintSum, isFingerprintSum } from '../transcript/fingerprint-sum.ts';
import { isGap } from '../transcript/gap.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { OrdinalRun, SealedRange } from '../transcript/sealed-range.ts';

export type Seal = Pick<SealedRange, 'fingerprint' | 'runs'>;

/** Of a range whose messages nobody can compare: it is never found again. */
const unsealed = '';

/**
 * What an anchor says of the content of messages `[first, end)`. Where some of them were not loaded, the ranges that
 * stand for those count by what their own anchors say.
 */
export function sealOf(conversation: Conversation, range: OrdinalRun): Seal {
  const sealed = sealedIn(conversation, range);
  if (sealed.length === 0) return { fingerprint: fingerprintOf(conversation, range) };
  const [only] = sealed;
  if (only && only.first === range.first && only.end === range.end) return only;
  return {
    fingerprint: sumOf(conversation, range, sealed) ?? unsealed,
    runs: sealed.flatMap(({ first, end, runs }) => runs ?? [{ first, end }]),
  };
}

/**
 * Whether a range is what it was when it was sealed: message by message where all of them are at hand; where a range
 * inside it was not loaded, by that range's own seal and the messages beside it.
 */
export function isSealedAs(conversation: Conversation, range: SealedRange): boolean {
  if (range.fingerprint === unsealed) return false;
  if (range.runs === undefined || sealedIn(conversation, range).length > 0)
    return sealOf(conversation, range).fingerprint === range.fingerprint;
  return sumOf(conversation, range, range.runs) === range.fingerprint;
}

function sealedIn({ sealed }: Conversation, { first, end }: OrdinalRun): readonly SealedRange[] {
  return sealed.length === 0 ? sealed : sealed.filter((one) => first <= one.first && one.end <= end);
}

function fingerprintOf(conversation: Conversation, { first, end }: OrdinalRun): string {
  return fingerprintBetween(
    conversation,
    positionOf(conversation, first),
    positionOf(conversation, end - 1) + 1,
  );
}

/** `undefined` where the runs do not follow each other inside the range, or where a message beside them is missing. */
function sumOf(
  conversation: Conversation,
  range: OrdinalRun,
  runs: readonly (OrdinalRun & Partial<SealedRange>)[],
): string | undefined {
  const parts: string[] = [];
  const sums: string[] = [];
  let next = positionOf(conversation, range.first);
  const addUntil = (position: number): boolean => {
    for (; next < position; next += 1) {
      const entry = conversation.entries.at(next);
      if (!entry || isGap(entry)) return false;
      parts.push(`${entry.ordinal} ${fingerprintBetween(conversation, next, next + 1)}`);
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
