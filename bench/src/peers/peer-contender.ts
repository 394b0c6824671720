import { aiSdkCodec } from '@throughline/core';
import { createFakeSummariser } from '@throughline/replay';
import { createModelHistory } from './model-history.ts';
import { partsOf } from './model-message.ts';
import type { Contender, FakeSummariser, TokensOf } from '@throughline/replay';
import type { ModelMessage } from './model-message.ts';

/** What a peer is told when its run begins. */
export interface PeerSetting {
  readonly budgetTokens: number;
  readonly windowTokens: number;
  readonly summariser: FakeSummariser;
}

/** What a peer is told at a step. */
export interface PeerStep {
  /** H_k. */
  readonly history: readonly ModelMessage[];
  /** What is new in it since the last step: the response, its results, the user's words. */
  readonly fresh: readonly ModelMessage[];
  readonly count: TokensOf;
  /** What the server counted at the last step; 0 before the first. */
  readonly lastSentTokens: number;
}

/** One replay with a peer. `undefined`: it has nothing to send. A message it leaves alone must stay the same object. */
export type PeerRun = (
  step: PeerStep,
) => readonly ModelMessage[] | undefined | Promise<readonly ModelMessage[] | undefined>;

export interface PeerOptions {
  /** The results of parallel calls are one message, as in the AI SDK itself. @default false: one message each */
  readonly joinsResults?: boolean;
  readonly windowTokens: number;
  readonly textTokens: (text: string) => number;
}

/** A peer as a contender: the session in the AI SDK's format, what it sends judged in that format. */
export function peerContender(
  name: string,
  { windowTokens, textTokens, joinsResults = false }: PeerOptions,
  start: (setting: PeerSetting) => PeerRun,
): Contender {
  return {
    name,
    kind: 'peer',
    start(session, budgetTokens) {
      const converted = createModelHistory(session, { splitsResults: !joinsResults });
      const summariser = createFakeSummariser(textTokens);
      const run = start({ budgetTokens, windowTokens, summariser });
      let known = 0;
      let lastSentTokens = 0;
      return {
        codec: aiSdkCodec,
        history: (length) => converted.upTo(length),
        async step(length, count) {
          const history = converted.upTo(length);
          const fresh = history.slice(known);
          known = history.length;
          const messages = await run({ history, fresh, count, lastSentTokens });
          const summaries = summariser.takeCalls();
          if (!messages || messages.length === 0) return undefined;
          return { messages, written: writtenIn(messages, history), summaries };
        },
        observe(sentTokens) {
          lastSentTokens = sentTokens;
        },
      };
    },
  };
}

/** What is neither of the history nor an edited call or result. */
function writtenIn(messages: readonly ModelMessage[], history: readonly ModelMessage[]): Set<number> {
  const known = new Set(history);
  return new Set(
    messages.flatMap((message, index) => (known.has(message) || isOfCall(message) ? [] : [index])),
  );
}

function isOfCall(message: ModelMessage): boolean {
  return message.role === 'tool' || partsOf(message).some(({ type }) => type === 'tool-call');
}
