import { importPeer } from './import-peer.ts';
import { peerContender } from './peer-contender.ts';
import type { Contender } from '@throughline/replay';
import type { PeerOptions } from './peer-contender.ts';
import type { PruneMessages } from './load-peers.ts';

/** Ten calls with their results. */
const keepMessages = 20;

/** AI SDK `pruneMessages` at each step above B: calls with results before the last 20 messages go, reasoning too. */
export async function aiSdkPeers(options: PeerOptions): Promise<Contender[]> {
  const { pruneMessages } = (await importPeer('ai')) as { pruneMessages: PruneMessages };
  return [
    peerContender(
      'AI SDK pruneMessages',
      { ...options, joinsResults: true },
      ({ budgetTokens }) =>
        ({ history, count }) => {
          if (count(history) <= budgetTokens) return history;
          return pruneMessages({
            messages: history,
            reasoning: 'before-last-message',
            toolCalls: `before-last-${keepMessages}-messages`,
          });
        },
    ),
  ];
}
