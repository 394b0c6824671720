import { add, ratioOf, sumOf } from './metric.ts';
import { createPrefixMatch } from './prefix-match.ts';
import type { Metric, Sums } from './metric.ts';

/**
 * M5, prefix stability: mean of cached_k / T(C_{k−1}); number of breaks (steps at which the former request is no prefix
 * of this one), and of those the silent ones, at a step the contender does not call a compaction or prune batch;
 * rewritten tokens: what is sent uncached although it is not new.
 */
export const prefixStability: Metric = {
  start() {
    const sums: Sums = {};
    const match = createPrefixMatch();
    let steps = 0;
    return {
      sums,
      add({ sent, request, sentTokens, historyTokens, formerHistoryTokens }) {
        if (!sent) return;
        const { cachedTokens, isWhole, formerTokens } = match(request);
        if (sent.isCompaction === true) add(sums, 'compactions');
        if (sumOf(sums, 'compactions') > 0) add(sums, 'stepsAfterCompaction');
        steps += 1;
        if (steps === 1) return;
        add(sums, 'steps');
        add(sums, 'kept', formerTokens === 0 ? 1 : cachedTokens / formerTokens);
        if (isWhole) return;
        add(sums, 'breaks');
        if (sent.isCompaction !== true) add(sums, 'silentBreaks');
        const newTokens = historyTokens - formerHistoryTokens;
        add(sums, 'rewritten', Math.max(0, sentTokens - cachedTokens - newTokens));
      },
    };
  },
};

export function prefixFigures(sums: Readonly<Sums>) {
  return {
    prefixKept: ratioOf(sums, 'kept', 'steps'),
    breaks: sumOf(sums, 'breaks'),
    silentBreaks: sumOf(sums, 'silentBreaks'),
    compactions: sumOf(sums, 'compactions'),
    rewrittenTokens: sumOf(sums, 'rewritten'),
  };
}
