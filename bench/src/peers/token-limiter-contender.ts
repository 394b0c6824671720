import { aiSdkCodec } from '@throughline/core';
import { createModelHistory } from './model-history.ts';
import type { Contender } from '../replay/contender.ts';
import type { CreateTokenLimiter } from './load-peers.ts';

/** Mastra `TokenLimiterProcessor` with limit B on the prompt, best fit, as it is by default. */
export function tokenLimiterContender(createTokenLimiter: CreateTokenLimiter): Contender {
  return {
    name: 'Mastra TokenLimiter',
    start(session, budgetTokens) {
      const history = createModelHistory(session);
      const limiter = createTokenLimiter(budgetTokens);
      return {
        codec: aiSdkCodec,
        async step(length) {
          const prompt = history.upTo(length);
          try {
            const limited = await limiter.processLLMRequest({ prompt });
            return { messages: limited?.prompt ?? prompt };
          } catch {
            return undefined; // "No messages fit": its way to say that it has nothing to send
          }
        },
      };
    },
  };
}
