import { createStrategy } from '@throughline/core/settings';
import type { Strategy } from '@throughline/core';
import type { BudgetInput } from '@throughline/core/types';
import type { ContextConfig } from './schema/config.ts';

/** What the engine is told of `context`. */
export interface EngineOptions {
  readonly strategy: Strategy;
  readonly windowTokens?: number;
  readonly budget: Omit<BudgetInput, 'windowTokens' | 'maxOutputTokens' | 'maxInputTokens' | 'triggerAt'>;
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
  const { window, outputReserve, safety, target, softThreshold, prune } = context;
  const keepTokens = prune.protectTokens ?? pruneProtectTokens;
  return {
    strategy: createStrategy(compaction.strategy, {
      preserveLastNTurns,
      recentMessagesToKeep,
      keepPercent,
      ...(thresholdPercent !== undefined && { thresholdPercent }),
      ...(compaction.trigger !== undefined && { trigger: compaction.trigger }),
    }),
    ...(window !== undefined && { windowTokens: window }),
    budget: {
      target,
      softThreshold,
      ...(outputReserve !== undefined && { outputReserveTokens: outputReserve }),
      ...(safety !== undefined && { safetyTokens: safety }),
      ...(thresholdTokens !== undefined && { thresholdTokens }),
      ...(keepTokens !== undefined && { keepTokens }),
      ...(prune.minTurnsToKeep !== undefined && { keepTurns: prune.minTurnsToKeep }),
      ...(prune.minimumTokens !== undefined && { leastGainTokens: prune.minimumTokens }),
      ...(maxSummaryTokens !== undefined && { summaryTokens: maxSummaryTokens }),
    },
    auto: compaction.auto,
    background: compaction.background,
    showsBudget: context.showBudget,
  };
}
