import { aiSdkCodec } from '@throughline/core';
import { createModelHistory } from './model-history.ts';
import type { Contender } from '../replay/contender.ts';
import type { PruneMessages } from './load-peers.ts';

const keepMessages = 10;

/** AI SDK `pruneMessages` at each step above B: calls and results before the last 10 messages go, reasoning too. */
export function pruneMessagesContender(pruneMessages: PruneMessages): Contender {
  return {
    name: `AI SDK pruneMessages, last ${keepMessages}`,
    start(session, budgetTokens) {
      const history = createModelHistory(session);
      return {
        codec: aiSdkCodec,
        step(length, count) {
          const messages = history.upTo(length);
          if (count(messages) <= budgetTokens) return { messages };
          const pruned = pruneMessages({
            messages,
            reasoning: 'before-last-message',
            toolCalls: `before-last-${keepMessages}-messages`,
          });
          return { messages: pruned };
        },
      };
    },
  };
}
