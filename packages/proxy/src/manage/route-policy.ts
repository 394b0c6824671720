import { mostReserveTokens } from '@throughline/core/internal';
import { isRecallTool } from '../wire/recall-tool.ts';
import { maxTokensOf } from '../wire/dialect.ts';
import type { ModelLimits } from '@throughline/core/types';
import type { Policy } from '@throughline/core';
import type { ClientRequest } from '../wire/client-request.ts';
import type { ProxyRoute } from '../options/proxy-options.ts';

// The proxy cannot ask again at leisure: it acts when prompt and room for the answer reach this share of the window.
const actAtShare = 0.8;
/** Room for the answer: this share of what the prompt leaves, and at least so many tokens. */
const answerShare = 0.2;
const leastAnswerTokens = 1_000;

interface PolicyFor {
  readonly hasModel: boolean;
  readonly request: Pick<ClientRequest, 'dialect' | 'body'>;
}

/** The policy of a route for one request to one model. */
export function policyOf(
  { policy }: Pick<ProxyRoute, 'policy'>,
  { window, maxOutput, maxInput }: ModelLimits,
  { hasModel, request }: PolicyFor,
): Policy {
  const { budget = {}, ...rest } = policy;
  const { outputReserveTokens, safetyTokens } = budget;
  const requestMaxTokens = maxTokensOf(request.dialect, request.body);
  const { tools = [] } = request.dialect.outside(request.body);
  return {
    ...rest,
    // What is taken out of view may be named by its id only where the model can ask for it.
    hasRecall: rest.hasRecall ?? tools.some(isRecallTool),
    budget: {
      thresholdTokens: actAtTokens(window.tokens),
      ...budget,
      windowTokens: window.tokens,
      // The window is the model's, and may have been learned from an error: what is set for a larger one must leave room.
      ...(outputReserveTokens !== undefined && {
        outputReserveTokens: Math.min(
          outputReserveTokens,
          mostReserveTokens({ windowTokens: window.tokens, safetyTokens }),
        ),
      }),
      ...(maxOutput.source !== 'default' && { maxOutputTokens: maxOutput.tokens }),
      ...(maxInput && { maxInputTokens: maxInput.tokens }),
      ...(requestMaxTokens !== undefined && { requestMaxTokens }),
    },
    ...(hasModel && rest.summariser === undefined && { summariser: { type: 'model' as const } }),
  };
}

/** The prompt at which prompt and room for the answer together reach the share of the window. */
function actAtTokens(windowTokens: number): number {
  const byShare = (windowTokens * (actAtShare - answerShare)) / (1 - answerShare);
  return Math.max(1, Math.floor(Math.min(byShare, windowTokens * actAtShare - leastAnswerTokens)));
}
