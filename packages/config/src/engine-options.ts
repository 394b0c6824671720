import { createStrategy, definedIn } from '@throughline/core/settings';
import type { Strategy } from '@throughline/core';
import type { BudgetInput } from '@throughline/core/types';
import type { ContextConfig } from './schema/config.ts';

type EngineBudget = Omit<BudgetInput, 'windowTokens' | 'maxOutputTokens' | 'maxInputTokens' | 'triggerAt'>;

interface ModelThresholds {
  readonly windowTokens?: number;
  readonly budget: EngineBudget;
}

/** What the engine is told of `context`. */
export interface EngineOptions {
  readonly strategy: Strategy;
  readonly windowTokens?: number;
  readonly budget: EngineBudget;
  /** What is different for some models, by their names. */
  readonly byModel?: Readonly<Record<string, ModelThresholds>>;
  readonly auto: boolean;
  readonly background: boolean;
  /** The model is told how much room is left. */
  readonly showsBudget: boolean;
}

/** `context` as options of the engine; the profile is not among them, because it may be a file. */
export function engineOptionsOf({ compaction, ...context }: ContextConfig): EngineOptions {
  const { preserveLastNTurns, recentMessagesToKeep, keepPercent, thresholdPercent, thresholdTokens } =
    compaction.options;
  const { maxSummaryTokens, pruneProtectTokens } = compaction.options;
  const { prune, byModel = {} } = context;
  const said = { ...context, thresholdTokens, maxSummaryTokens };
  const protectTokens = prune.protectTokens ?? pruneProtectTokens;
  const models = Object.entries(byModel).map(([name, one]) => [name, thresholdsOf(one)] as const);
  return {
    strategy: createStrategy(compaction.strategy, {
      preserveLastNTurns,
      recentMessagesToKeep,
      keepPercent,
      ...(thresholdPercent !== undefined && { thresholdPercent }),
      ...(compaction.trigger !== undefined && { trigger: compaction.trigger }),
    }),
    ...thresholdsOf({ ...said, prune: { ...prune, protectTokens } }),
    ...(models.length > 0 && { byModel: Object.fromEntries(models) }),
    auto: compaction.auto,
    background: compaction.background,
    showsBudget: context.showBudget,
  };
}

type Said = NonNullable<ContextConfig['byModel']>[string];

function thresholdsOf({ window, prune = {}, ...said }: Said): ModelThresholds {
  const budget = {
    target: said.target,
    softThreshold: said.softThreshold,
    outputReserveTokens: said.outputReserve,
    safetyTokens: said.safety,
    thresholdTokens: said.thresholdTokens,
    keepTokens: prune.protectTokens,
    keepTurns: prune.minTurnsToKeep,
    leastGainTokens: prune.minimumTokens,
    summaryTokens: said.maxSummaryTokens,
  };
  return {
    ...(window !== undefined && { windowTokens: window }),
    budget: definedIn(budget),
  };
}
