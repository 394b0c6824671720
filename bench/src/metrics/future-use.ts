import { entitiesOf } from './entities.ts';
import type { CallPart } from '@throughline/core';
import { callInputValue } from '@throughline/core';
import { leavesOf } from './message-text.ts';

/** The last mention lies more than this many messages back: only what was kept on purpose is still there. */
const farMessages = 20;
/** A leaf longer than this is content (a file to write); a shorter one says where. */
const locatorCharacters = 300;

/** One entity that step k uses and that the history knew. */
export interface Use {
  readonly entity: string;
  readonly isFar: boolean;
  readonly isLocator: boolean;
}

/** U_k: what the calls of a response use of the history. `searchTexts`: the messages of H_k, oldest first. */
export function usesOf(calls: readonly CallPart[], searchTexts: readonly string[]): Use[] {
  const locators = new Set<string>();
  const all = new Set<string>();
  for (const call of calls) {
    for (const leaf of leavesOf(callInputValue(call))) {
      for (const entity of entitiesOf(leaf)) {
        all.add(entity);
        if (leaf.length <= locatorCharacters) locators.add(entity);
      }
    }
  }
  return [...all].flatMap((entity) => {
    const last = searchTexts.findLastIndex((text) => text.includes(entity));
    if (last < 0) return [];
    return [{ entity, isFar: searchTexts.length - last > farMessages, isLocator: locators.has(entity) }];
  });
}

/** Uses and hits, of all and of each split. */
export interface Recall {
  uses: number;
  hits: number;
}

export function createRecall(): Recall {
  return { uses: 0, hits: 0 };
}

export function addRecall(recall: Recall, isHit: boolean): void {
  recall.uses += 1;
  if (isHit) recall.hits += 1;
}

/** Σ hits / Σ uses; not a number where nothing was used. */
export function shareOf({ uses, hits }: Recall): number {
  return uses === 0 ? Number.NaN : hits / uses;
}
