import { findModel } from '@throughline/core';
import { usageFailure } from '../outcome/failure.ts';
import type { Policy } from '@throughline/core';
import type { BudgetInput, ModelEntry } from '@throughline/core/types';
import type { RecordedSession } from '@throughline/importers';

export interface WindowChoice {
  readonly windowTokens: number;
  readonly source: 'option' | 'model' | 'log' | 'recorded model' | 'assumed';
  /** The model that the window belongs to, or that sets the reserve for the answer. */
  readonly model: string | null;
  readonly budget: BudgetInput;
  /** What the model's signed reasoning is bound to, where it is known to be bound. */
  readonly reasoningBinding?: NonNullable<Policy['reasoningBinding']>;
}

/** What the user says of it. */
interface WindowRequest {
  readonly window?: number;
  readonly model?: string;
}

/** What the log says of it, or proves. */
type Recorded = Pick<RecordedSession, 'model' | 'windowTokens'>;

/** What is taken for a window that nobody knows. */
const assumedWindowTokens = 128_000;

/**
 * The window to work with: the option, else that of the named model, else what the log itself says, else that of the
 * recorded model; else an assumption.
 */
export function findWindow(recorded: Recorded, { window, model }: WindowRequest): WindowChoice {
  const named = model ?? recorded.model;
  const entry = named === undefined ? undefined : findModel(named)?.entry;
  if (window !== undefined) return choice(window, 'option', entry);
  if (recorded.windowTokens !== undefined && (model === undefined || !entry))
    return choice(recorded.windowTokens, 'log', entry);
  if (entry) return choice(entry.windowTokens, model === undefined ? 'recorded model' : 'model', entry);
  return choice(assumedWindowTokens, 'assumed', undefined);
}

/** The same, where a guess is not good enough. */
export function requireWindow(recorded: Recorded, request: WindowRequest): WindowChoice {
  const found = findWindow(recorded, request);
  if (found.source !== 'assumed') return found;
  const { model } = request;
  const why =
    model !== undefined
      ? `the window of ${model} is not known`
      : recorded.model === undefined
        ? 'the file names no model'
        : `the window of the recorded model ${recorded.model} is not known`;
  throw usageFailure(`How large may it become? Give --window TOKENS, for example --window 64k (${why}).`);
}

function choice(
  windowTokens: number,
  source: WindowChoice['source'],
  entry: ModelEntry | undefined,
): WindowChoice {
  const binding = entry?.reasoningBinding;
  const isOwn = entry !== undefined && windowTokens === entry.windowTokens;
  return {
    windowTokens,
    source,
    model: entry?.id ?? null,
    ...(binding === 'prefix' || binding === 'next-item' ? { reasoningBinding: binding } : {}),
    budget: {
      windowTokens,
      ...(entry ? { maxOutputTokens: entry.maxOutputTokens } : {}),
      ...(isOwn && entry.maxInputTokens !== undefined ? { maxInputTokens: entry.maxInputTokens } : {}),
    },
  };
}
