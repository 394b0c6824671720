import { add, ratioOf } from './metric.ts';
import { createPrefixMatch } from './prefix-stability.ts';
import type { Metric, ReplaySetting, Sums } from './metric.ts';
import type { SummaryCall } from '../contenders/fake-models.ts';

/** Prices of a provider, relative to an uncached input token. */
interface PriceProfile {
  readonly read: number;
  readonly write: number;
  /** A token the summariser writes. */
  readonly output: number;
  /** The cache forgets after this time without a call; none: there is no cache. */
  readonly lifetimeMs: number;
}

const minuteMs = 60_000;

export const priceProfiles = {
  anthropic: { read: 0.1, write: 1.25, output: 5, lifetimeMs: 5 * minuteMs },
  openai: { read: 0.1, write: 1, output: 8, lifetimeMs: 10 * minuteMs },
  flat: { read: 1, write: 1, output: 5, lifetimeMs: 0 },
} as const satisfies Record<string, PriceProfile>;

type PriceName = keyof typeof priceProfiles;
const priceNames = Object.keys(priceProfiles) as readonly PriceName[];

/** `inside`: as if every call came within the lifetime of the cache. `recorded`: with the gaps of the recording. */
const gapKinds = ['inside', 'recorded'] as const;
type GapKind = (typeof gapKinds)[number];

/** One step: read · cached + write · (sent − cached), in uncached input tokens. */
export function stepCost(sentTokens: number, cachedTokens: number, { read, write }: PriceProfile): number {
  return read * cachedTokens + write * (sentTokens - cachedTokens);
}

/**
 * M4, replay cost: cached_k = T(longest common message prefix of C_k and C_{k−1}), 0 when the gap before the step
 * exceeds the cache's lifetime. cost = Σ [ r·cached + w·(T(C_k) − cached) ]·p_in + summariser calls, relative to no
 * management under the same profile and gaps. A summariser call pays its input uncached and its output at the output
 * price; no provider caches a prompt that is sent once.
 */
export const replayCost: Metric = {
  start(_plan, setting) {
    const sums: Sums = {};
    const match = createPrefixMatch();
    return {
      sums,
      add({ step, sent, request, sentTokens, historyTokens, formerHistoryTokens }) {
        const cached = match(request).cachedTokens;
        const bill = (key: string, tokens: number, cachedTokens: number): void => {
          for (const price of priceNames) {
            const profile = priceProfiles[price];
            const isCold = step.gapMs !== undefined && step.gapMs > profile.lifetimeMs;
            add(sums, `${price}.inside.${key}`, stepCost(tokens, cachedTokens, profile));
            add(sums, `${price}.recorded.${key}`, stepCost(tokens, isCold ? 0 : cachedTokens, profile));
          }
        };
        bill('base', historyTokens, formerHistoryTokens);
        if (!sent) return;
        bill('cost', sentTokens, cached);
        for (const call of sent.summaries ?? []) payFor(call, sums, setting);
        if (step.gapMs !== undefined) add(sums, 'timedSteps');
        add(sums, 'steps');
      },
    };
  },
};

function payFor(call: SummaryCall, sums: Sums, { textTokens }: ReplaySetting): void {
  const input = textTokens(call.instructions) + textTokens(call.conversation) + 8;
  const output = textTokens(call.answer);
  add(sums, 'summaryCalls');
  add(sums, 'summaryInput', input);
  add(sums, 'summaryOutput', output);
  for (const price of priceNames)
    for (const gaps of gapKinds)
      add(sums, `${price}.${gaps}.cost`, input + priceProfiles[price].output * output);
}

export function replayCostFigures(sums: Readonly<Sums>) {
  const cost = Object.fromEntries(
    priceNames.map((price) => [
      price,
      Object.fromEntries(
        gapKinds.map((gaps) => [gaps, ratioOf(sums, `${price}.${gaps}.cost`, `${price}.${gaps}.base`)]),
      ) as Record<GapKind, number>,
    ]),
  ) as Record<PriceName, Record<GapKind, number>>;
  return {
    cost,
    summaryCalls: sums['summaryCalls'] ?? 0,
    /** Share of steps for which the recording says when they were. */
    timedSteps: ratioOf(sums, 'timedSteps', 'steps'),
  };
}
