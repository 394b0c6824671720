import { findModel } from '@throughline/core';
import {
  observe,
  startCalibration,
  calibratedTokens,
  tokenizerSlope,
  uncalibrated,
} from '@throughline/core/internal';
import type { Transcript } from '@throughline/core';
import type { Calibration } from '@throughline/core/internal';
import type { ErrorSpread, UsageComparison } from './inspection.ts';
import type { RecordedSession } from '@throughline/importers';

/** Calls that calibration learns from before its error is measured. */
const learnedFrom = 3;

interface Pair {
  readonly estimateTokens: number;
  readonly actualTokens: number;
}

/** What the provider counted, beside what the estimator says of the same prompts. `null` without recorded usage. */
export function compareUsage(
  transcript: Transcript,
  session: RecordedSession,
  windowTokens: number,
): UsageComparison | null {
  const { conversation, systemTokens, toolsTokens } = transcript;
  const recorded = session.usage.filter(({ inputTokens }) => Number.isFinite(inputTokens) && inputTokens > 0);
  const lastCall = recorded.at(-1);
  if (!lastCall) return null;
  const pairs = recorded.map(({ messageIndex, inputTokens }) => ({
    estimateTokens: systemTokens + toolsTokens + (conversation.tokensBefore.at(messageIndex) ?? 0),
    actualTokens: inputTokens,
  }));
  const start = startOf(session);
  const learned = calibrate(pairs.slice(0, learnedFrom), windowTokens, start);
  const all = calibrate(pairs, windowTokens, start);
  const last = pairs.at(-1) ?? { estimateTokens: 0, actualTokens: 0 };
  const later = pairs.slice(learnedFrom);
  return {
    calls: pairs.length,
    holdsWholePrompt: session.holdsWholePrompt,
    last: {
      recordedTokens: last.actualTokens,
      cacheReadTokens: lastCall.cacheReadTokens,
      estimatedTokens: Math.round(last.estimateTokens),
      calibratedTokens: Math.round(
        calibratedTokens(calibrate(pairs.slice(0, -1), windowTokens, start), last.estimateTokens),
      ),
    },
    before: spreadOf(pairs, uncalibrated),
    after: spreadOf(later, learned),
    calibratedOn: Math.min(learnedFrom, pairs.length),
    notInLogTokens: session.holdsWholePrompt ? 0 : Math.max(0, Math.round(calibratedTokens(all, 0))),
  };
}

/** What is known of the model's tokenizer before its first call. */
function startOf({ model }: RecordedSession): Calibration {
  const entry = model === undefined ? undefined : findModel(model)?.entry;
  return entry ? startCalibration(tokenizerSlope(entry.tokenizer)) : uncalibrated;
}

function calibrate(pairs: readonly Pair[], windowTokens: number, start: Calibration): Calibration {
  return pairs.reduce<Calibration>((known, pair) => observe(known, { ...pair, windowTokens }), start);
}

function spreadOf(pairs: readonly Pair[], calibration: Calibration): ErrorSpread | null {
  if (pairs.length === 0) return null;
  const errors = pairs
    .map(
      ({ estimateTokens, actualTokens }) =>
        Math.abs(calibratedTokens(calibration, estimateTokens) - actualTokens) / actualTokens,
    )
    .toSorted((a, b) => a - b);
  return { calls: errors.length, p50: quantile(errors, 0.5), p90: quantile(errors, 0.9) };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
