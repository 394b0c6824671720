import { findModel } from '@throughline/core';
import { usageFailure } from '../outcome/failure.ts';
import type { BudgetInput, ModelEntry } from '@throughline/core';

export interface WindowChoice {
  readonly windowTokens: number;
  readonly source: 'option' | 'model' | 'log' | 'recorded model' | 'assumed';
  /** The model that the window belongs to, or that sets the reserve for the answer. */
  readonly model: string | null;
  readonly budget: BudgetInput;
  /** What the model's signed reasoning is bound to, where the model is known. */
  readonly reasoningBinding?: ModelEntry['reasoningBinding'];
}

export interface WindowRequest {
  readonly window?: number;
  readonly model?: string;
  readonly recordedModel?: string | undefined;
  /** What the log says of its window, or proves. */
  readonly recordedWindow?: number | undefined;
}

/** What is taken for a window that nobody knows. */
const assumedWindowTokens = 128_000;

/**
 * The window to work with: the option, else that of the named model, else what the log itself says, else that of the
 * recorded model; else an assumption.
 */
export function findWindow({ window, model, recordedModel, recordedWindow }: WindowRequest): WindowChoice {
  const named = model ?? recordedModel;
  const entry = named === undefined ? undefined : findModel(named)?.entry;
  if (window !== undefined) return choice(window, 'option', entry);
  if (recordedWindow !== undefined && (model === undefined || !entry))
    return choice(recordedWindow, 'log', entry);
  if (entry) return choice(entry.windowTokens, model === undefined ? 'recorded model' : 'model', entry);
  return choice(assumedWindowTokens, 'assumed', undefined);
}

/** The same, where a guess is not good enough. */
export function requireWindow(request: WindowRequest): WindowChoice {
  const found = findWindow(request);
  if (found.source !== 'assumed') return found;
  const { model, recordedModel } = request;
  const why =
    model !== undefined
      ? `the window of ${model} is not known`
      : recordedModel === undefined
        ? 'the file names no model'
        : `the window of the recorded model ${recordedModel} is not known`;
  throw usageFailure(`How large may it become? Give --window TOKENS, for example --window 64k (${why}).`);
}

function choice(
  windowTokens: number,
  source: WindowChoice['source'],
  entry: ModelEntry | undefined,
): WindowChoice {
  const isOwn = entry !== undefined && windowTokens === entry.windowTokens;
  return {
    windowTokens,
    source,
    model: entry?.id ?? null,
    ...(entry ? { reasoningBinding: entry.reasoningBinding } : {}),
    budget: {
      windowTokens,
      ...(entry ? { maxOutputTokens: entry.maxOutputTokens } : {}),
      ...(isOwn && entry.maxInputTokens !== undefined ? { maxInputTokens: entry.maxInputTokens } : {}),
    },
  };
}
