import { add, ratioOf, sumOf } from './metric.ts';
import type { Metric, SentMessage, Sums } from './metric.ts';

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

interface PrefixMatch {
  /** Tokens of the longest common message prefix with the request before. */
  readonly cachedTokens: number;
  /** All of the request before is a prefix of this one. */
  readonly isWhole: boolean;
  /** Tokens of the request before; 0 for the first. */
  readonly formerTokens: number;
}

/** Compares each request with the one before, message by message: by reference first, by JSON second. */
export function createPrefixMatch(): (request: readonly SentMessage[]) => PrefixMatch {
  let former: readonly SentMessage[] = [];
  return (request) => {
    const before = former;
    former = request;
    const formerTokens = before.reduce((sum, { tokens }) => sum + tokens, 0);
    let cachedTokens = 0;
    for (let index = 0; index < before.length; index += 1) {
      const [was, now] = [before[index], request[index]];
      if (!was || !now || !isSame(now.message, was.message))
        return { cachedTokens, isWhole: false, formerTokens };
      cachedTokens += was.tokens;
    }
    return { cachedTokens, isWhole: true, formerTokens };
  };
}

const texts = new WeakMap<object, string>();

function isSame(left: unknown, right: unknown): boolean {
  return left === right || jsonOf(left) === jsonOf(right);
}

/** The bytes of a message. */
export function jsonOf(message: unknown): string {
  if (typeof message !== 'object' || message === null) return JSON.stringify(message) ?? '';
  const text = texts.get(message) ?? JSON.stringify(message);
  texts.set(message, text);
  return text;
}
