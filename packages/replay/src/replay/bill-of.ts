import { priceRequest } from '@throughline/core';
import { isCacheCold } from '@throughline/core/internal';
import { createPrefixMatch } from '../metrics/prefix-stability.ts';
import type { Pricing } from '@throughline/core';
import type { PassCost } from '@throughline/core/internal';
import type { ReplaySetting, StepView } from '../metrics/metric.ts';

/** What the requests of a replay cost, in the currency of the prices; the answers, which are those recorded, apart. */
export interface Bill {
  /** Prompts, and what a model was asked for summaries and decisions. */
  readonly total: number;
  /** The part of it for questions to a model and its answers. */
  readonly asked: number;
  /** Tokens of all prompts, and of them those the provider had in its cache. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
}

/**
 * The cache holds the beginning that a request shares with the one before, unless the pause between them was longer
 * than its lifetime. A question to the summariser is sent once: nothing of it is cached.
 */
export function billOf(requests: readonly LoggedRequest[], pricing: Pricing): Bill {
  const uncached: Pricing = { ...pricing, cache: { ...pricing.cache, kind: 'none' } };
  let [prompts, asked, inputTokens, cachedTokens] = [0, 0, 0, 0];
  for (const { tokens = 0, repeatedTokens, gapMs, asked: questions } of requests) {
    const cached = isCacheCold(pricing, gapMs) ? 0 : repeatedTokens;
    prompts += priceRequest(pricing, { inputTokens: tokens, cachedTokens: cached });
    for (const question of questions) asked += priceRequest(uncached, question);
    inputTokens += tokens;
    cachedTokens += cached;
  }
  return { total: prompts + asked, asked, inputTokens, cachedTokens };
}

/** One request of a replay as its provider would see it; system text and tools of the log count as part of it. */
export interface LoggedRequest {
  /** `undefined`: there was nothing to send that fits. */
  readonly tokens: number | undefined;
  /** Tokens of its beginning that are those of the request before. */
  readonly repeatedTokens: number;
  /** The request before is no beginning of this one. */
  readonly isBreak: boolean;
  readonly isCompaction: boolean;
  /** What the engine says that this compaction costs and saves. */
  readonly passCost?: PassCost;
  /** Time since the request before, where the recording says so. */
  readonly gapMs?: number;
  /** What a model was asked before it. */
  readonly asked: readonly AskedModel[];
}

interface AskedModel {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Notes every request of a replay, so that it can be billed and drawn. */
export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  add(view: StepView): void;
}

type Counting = Pick<ReplaySetting, 'textTokens' | 'outsideTokens'>;

export function createRequestLog({ textTokens, outsideTokens }: Counting): RequestLog {
  const requests: LoggedRequest[] = [];
  const match = createPrefixMatch();
  let isFirst = true;
  return {
    requests,
    add({ step, sent, request, sentTokens }) {
      const gap = step.gapMs === undefined ? {} : { gapMs: step.gapMs };
      if (!sent) {
        const nothing = { tokens: undefined, repeatedTokens: 0, isBreak: false, isCompaction: false };
        requests.push({ ...nothing, ...gap, asked: [] });
        return;
      }
      const { cachedTokens, isWhole } = match(request);
      requests.push({
        tokens: sentTokens + outsideTokens,
        repeatedTokens: isFirst ? 0 : cachedTokens + outsideTokens,
        isBreak: !isWhole,
        isCompaction: sent.isCompaction === true,
        ...(sent.passCost === undefined ? {} : { passCost: sent.passCost }),
        ...gap,
        asked: (sent.summaries ?? []).map(({ instructions, conversation, answer }) => ({
          inputTokens: textTokens(instructions) + textTokens(conversation),
          outputTokens: textTokens(answer),
        })),
      });
      isFirst = false;
    },
  };
}
