import { batchMasking, noManagement, rollingMasking } from './baselines.ts';
import { loadPeers } from '../peers/load-peers.ts';
import { ours } from './ours.ts';
import { pruneMessagesContender } from '../peers/prune-messages-contender.ts';
import { strategyNames } from '@throughline/core';
import { tokenLimiterContender } from '../peers/token-limiter-contender.ts';
import type { Contender } from './contender.ts';

export interface ContenderChoice {
  readonly windowTokens: number;
  readonly reportsUsage: boolean;
  readonly withPeers: boolean;
  /** Parts of names; empty: all. No management is always there: the others are compared with it. */
  readonly only: readonly string[];
}

const checkEvery = 25;
const maskingKeeps = 10;

/** Everything that is compared, and a sentence on each peer that is not there. */
export async function contendersFor(
  choice: ContenderChoice,
): Promise<{ contenders: readonly Contender[]; notes: readonly string[] }> {
  const { windowTokens, reportsUsage, only } = choice;
  const peers = choice.withPeers ? await loadPeers() : undefined;
  const all: Contender[] = [
    noManagement,
    rollingMasking(maskingKeeps),
    batchMasking,
    ...(peers?.pruneMessages ? [pruneMessagesContender(peers.pruneMessages)] : []),
    ...(peers?.createTokenLimiter ? [tokenLimiterContender(peers.createTokenLimiter)] : []),
    ...strategyNames.map((name) => ours(name, { windowTokens, reportsUsage, checkEvery })),
  ];
  const isWanted = ({ name }: Contender): boolean =>
    only.length === 0 || name === noManagement.name || only.some((part) => name.includes(part));
  return { contenders: all.filter(isWanted), notes: peers?.notes ?? [] };
}
