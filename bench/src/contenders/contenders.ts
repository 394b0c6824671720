import { allPeers } from './peers.ts';
import {
  batchMasking,
  modelNeed,
  noManagement,
  ours,
  priceProfiles,
  rollingMasking,
} from '@throughline/replay';
import { strategyNames } from '@throughline/core/internal';
import type { Contender, OursOptions } from '@throughline/replay';
import type { Pricing } from '@throughline/core';

interface ContenderChoice {
  readonly windowTokens: number;
  readonly reportsUsage: boolean;
  readonly withPeers: boolean;
  /** Parts of names or kinds (`ours`, `peer`, `baseline`); empty: all. */
  readonly only: readonly string[];
  readonly textTokens: (text: string) => number;
  /** Writes the summaries of ours that ask a model. @default the fake summariser */
  readonly writeSummary?: OursOptions['writeSummary'];
}

const maskingKeeps = 10;

/** Everything that is compared, and a sentence on each peer that is not there. No management is always there. */
export async function contendersFor(
  choice: ContenderChoice,
): Promise<{ contenders: readonly Contender[]; notes: readonly string[] }> {
  const { only, withPeers } = choice;
  const isWanted = (one: Contender): boolean =>
    only.length === 0 || one.name === noManagement.name || only.some((part) => isNamed(one, part));
  const own = [noManagement, rollingMasking(maskingKeeps), batchMasking, ...ourContenders(choice)];
  const isPeerWanted = only.length === 0 || !only.every((part) => own.some((one) => isNamed(one, part)));
  const peers = withPeers && isPeerWanted ? await allPeers(choice) : { contenders: [], notes: [] };
  return { contenders: [...own, ...peers.contenders].filter(isWanted), notes: peers.notes };
}

/**
 * Every strategy without a model (those that need one to decide only with it), and those that would ask one with the
 * fake summariser, too. The default once more with prices and the recorded gaps, where it may wait for a cold cache.
 */
function ourContenders({
  windowTokens,
  reportsUsage,
  textTokens,
  writeSummary,
}: ContenderChoice): Contender[] {
  const shared = { windowTokens, reportsUsage, textTokens, ...(writeSummary && { writeSummary }) };
  const all = strategyNames.flatMap((strategy) =>
    [false, true]
      .filter((asksModel) =>
        asksModel ? modelNeed(strategy) !== 'none' : modelNeed(strategy) !== 'decisions',
      )
      .map((asksModel) => ours({ ...shared, strategy, asksModel })),
  );
  const policy = { pricing: anthropicPrices };
  return [...all, ours({ ...shared, strategy: 'reactive-overflow', asksModel: false, policy })];
}

/** The Anthropic profile of M4, in dollars for a million tokens. */
const anthropicPrices: Pricing = {
  prices: {
    input: 1,
    cacheRead: priceProfiles.anthropic.read,
    cacheWrite: priceProfiles.anthropic.write,
    output: priceProfiles.anthropic.output,
  },
  cache: { kind: 'marked', lifetimeMs: priceProfiles.anthropic.lifetimeMs },
};

function isNamed({ name, kind }: Contender, part: string): boolean {
  return part === kind || name.toLowerCase().includes(part.toLowerCase());
}
