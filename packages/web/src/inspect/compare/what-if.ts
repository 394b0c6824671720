import { prepare } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { policyOf } from '../policy-of.ts';
import { measuredTokens, requestAt } from '../request-at.ts';
import type { Step, View } from '@throughline/core';
import type { PassCost } from '@throughline/core/internal';
import type { ViewItem } from '@throughline/core/types';
import type { WhatIf } from '@throughline/protocol/types';
import type { Inspected, StepIndex } from '../inspected.ts';
import type { RequestAt } from '../request-at.ts';

/** What a compaction by one strategy would come to at this step. Nothing is sent, and no model is asked. */
export interface StrategyOutcome {
  readonly strategy: string;
  readonly state: 'compacted' | 'nothing-to-do' | 'cannot-fit';
  /** Measured tokens of the whole request. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that would not be shown any more, and parts that would be changed. */
  readonly messagesLost: number;
  readonly partsChanged: number;
  /** Share of the request before that would still come from the cache, from 0 to 1; `null` where only the server knows. */
  readonly cachedShare: number | null;
  /** `null` where no prices are known. */
  readonly cost: PassCost | null;
}

/** All strategies on the same request. What a model would write is written by code: its text is shorter or longer. */
export function whatIf(
  inspected: Inspected,
  index: StepIndex = 'next',
  strategies: readonly string[] = strategyNames,
): readonly StrategyOutcome[] {
  return strategies.map((strategy) => tryStrategy(inspected, index, strategy));
}

function tryStrategy(inspected: Inspected, index: StepIndex, strategy: string): StrategyOutcome {
  const request = requestAt(inspected, index);
  const policy = policyOf(inspected, strategy);
  const tokens = measuredTokens(inspected, request);
  const nothing = { messagesLost: 0, partsChanged: 0, cachedShare: 1, cost: null };
  if (request.historyLength === 0)
    return { strategy, state: 'nothing-to-do', tokensBefore: tokens, tokensAfter: tokens, ...nothing };
  const step = prepare(request.transcript, request.state, policy, { reason: 'manual' });
  // A model that decides what can go is not here: such a strategy does what it can do without.
  if (step.type === 'model-needed')
    return { strategy, state: 'nothing-to-do', tokensBefore: tokens, tokensAfter: tokens, ...nothing };
  const { before, final } = step.report.tokens;
  const measured = { tokensBefore: before, tokensAfter: final };
  if (step.type === 'cannot-fit')
    return {
      strategy,
      state: 'cannot-fit',
      tokensBefore: before,
      tokensAfter: step.requestTokens,
      ...nothing,
    };
  const state = step.checkpoint ? 'compacted' : 'nothing-to-do';
  // What a file or a proxy does not have of instructions and tools is known by its tokens alone.
  const unseen = inspected.source === 'session' ? 0 : Math.max(0, before - request.estimatedTokens);
  return { strategy, state, ...measured, ...lossOf(request, step, unseen), cost: step.report.cost };
}

type Loss = Pick<StrategyOutcome, 'messagesLost' | 'partsChanged' | 'cachedShare'>;

function lossOf(
  request: RequestAt,
  { view }: Extract<Step, { readonly type: 'ready' }>,
  unseen: number,
): Loss {
  const shown = new Map<number, number>();
  for (const item of view.items)
    if (item.type === 'entry') shown.set(item.entry.ordinal, item.changes.length);
  let messagesLost = 0;
  let partsChanged = 0;
  for (const item of request.items) {
    if (item.type !== 'entry') continue;
    const now = shown.get(item.entry.ordinal);
    if (now === undefined) messagesLost += 1;
    else partsChanged += Math.max(0, now - item.changes.length);
  }
  return { messagesLost, partsChanged, cachedShare: cachedShareOf(request, view, unseen) };
}

/** Up to the first item that is another one, in tokens; system text and tools stay. */
function cachedShareOf(
  { items, transcript, estimatedTokens }: RequestAt,
  view: View,
  unseen: number,
): number {
  let same = unseen + transcript.systemTokens + transcript.toolsTokens;
  for (const [index, item] of items.entries()) {
    if (!isSame(item, view.items.at(index))) break;
    same += item.tokens;
  }
  const all = unseen + estimatedTokens;
  return all === 0 ? 1 : Math.min(1, same / all);
}

function isSame(item: ViewItem, other: ViewItem | undefined): boolean {
  if (item.type === 'synthetic' || other?.type !== 'entry')
    return item.type === 'synthetic' && other?.type === 'synthetic' && item.change === other.change;
  return item.position === other.position && item.changes.length === other.changes.length;
}

/** What the server says of a live session, where the engine knows what its provider has counted, in the same form. */
export function outcomeOf({ strategy, outcome, cost }: WhatIf, tokensNow: number): StrategyOutcome {
  const shared = { strategy, cachedShare: null, cost };
  const none = { ...shared, messagesLost: 0, partsChanged: 0 };
  switch (outcome.type) {
    case 'compacted': {
      const { tokensBefore, tokensAfter, messagesCompacted, outputsPruned } = outcome;
      return {
        ...shared,
        state: 'compacted',
        tokensBefore,
        tokensAfter,
        messagesLost: messagesCompacted,
        partsChanged: outputsPruned,
      };
    }
    case 'cannot-fit':
      return { ...none, state: 'cannot-fit', tokensBefore: tokensNow, tokensAfter: outcome.requestTokens };
    case 'nothing-to-do':
    case 'cancelled':
      return { ...none, state: 'nothing-to-do', tokensBefore: tokensNow, tokensAfter: tokensNow };
  }
}
