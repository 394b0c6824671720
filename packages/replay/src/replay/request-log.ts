import { createPrefixMatch } from '../metrics/prefix-match.ts';
import type { PassCost } from '@throughline/core';
import type { ReplaySetting, StepView } from '../metrics/metric.ts';

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
