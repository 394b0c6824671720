import {
  anything,
  checkOptions,
  objectWith,
  oneOfTexts,
  optionalText,
  required,
} from '../errors/check-options.ts';
import { findModel } from './find-model.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { FoundModel } from './find-model.ts';

/** Limits that somebody states. Numbers that are not finite or below 1 count as not stated. */
interface StatedLimits {
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxInputTokens?: number;
}

/** What each source says of a model's limits. Sizes are tokens. */
export interface ModelLimitsInput {
  readonly model?: string;
  /** Where the model runs: nobody knows an unknown model, but a local one is likely loaded small. */
  readonly endpoint: 'hosted' | 'local';
  /** What the user set. */
  readonly user?: StatedLimits;
  /** The window that an overflow error named, and when (milliseconds since 1970). */
  readonly learned?: { readonly windowTokens: number; readonly atMs?: number };
  /** What the endpoint's own description says, and when it was asked. */
  readonly discovered?: StatedLimits & { readonly atMs?: number };
  /** The time now; without it, what was learned does not expire. */
  readonly nowMs?: number;
}

export type LimitSource = 'user' | 'learned' | 'discovered' | 'catalogue' | 'default';

export interface Limit {
  readonly tokens: number;
  readonly source: LimitSource;
}

/** The limits of a model in tokens, each with its source. None exceeds the window. */
export interface ModelLimits {
  readonly window: Limit;
  readonly maxOutput: Limit;
  /** Only where the prompt's limit is less than the window. */
  readonly maxInput?: Limit;
  /** The catalogue's entry, where there is one. */
  readonly model?: FoundModel;
}

const defaultWindowTokens = { hosted: 128_000, local: 16_000 } as const;
const defaultMaxOutputTokens = 32_000;
const defaultOutputShare = 0.25;
/** How long the number from an error is believed. */
const learnedLifetimeMs = 24 * 60 * 60_000;

/**
 * The limits of a model and where each comes from: the user, else an overflow error, else the endpoint's own
 * description, else the catalogue, else 128 000 tokens on a hosted endpoint and 16 000 on a local one. What an error
 * named only ever lowers, and counts for 24 hours or until the endpoint was asked again; what the endpoint says
 * replaces the catalogue in both directions. No limit exceeds the window.
 *
 * @throws {ContextError} `invalid-option` that names the option, for a misspelt one too.
 */
export function modelLimits(input: ModelLimitsInput): ModelLimits {
  checkOptions('', input, inputChecks);
  const model = input.model === undefined ? undefined : findModel(input.model);
  const window = windowOf(input, model);
  const stated = [
    [input.user, 'user'],
    [input.discovered, 'discovered'],
    [model?.entry, 'catalogue'],
  ] as const;
  const within = (limit: Limit): Limit => (limit.tokens <= window.tokens ? limit : window);
  const output = firstStated(stated, 'maxOutputTokens') ?? {
    tokens: Math.min(defaultMaxOutputTokens, Math.floor(window.tokens * defaultOutputShare)),
    source: 'default',
  };
  const maxInput = firstStated(stated, 'maxInputTokens');
  return {
    window,
    maxOutput: within(output),
    ...(maxInput && maxInput.tokens < window.tokens && { maxInput }),
    ...(model && { model }),
  };
}

const limitsOfOne = objectWith('an object with limits', {});

const inputChecks: OptionChecks<ModelLimitsInput> = {
  model: optionalText,
  endpoint: required(oneOfTexts('hosted', 'local')),
  // What is no limit counts as not stated.
  user: limitsOfOne,
  learned: limitsOfOne,
  discovered: limitsOfOne,
  nowMs: anything,
};

function windowOf(input: ModelLimitsInput, model: FoundModel | undefined): Limit {
  const byUser = firstStated([[input.user, 'user']], 'windowTokens');
  if (byUser) return byUser;
  const described = firstStated(
    [
      [input.discovered, 'discovered'],
      [model?.entry, 'catalogue'],
    ],
    'windowTokens',
  ) ?? { tokens: defaultWindowTokens[input.endpoint], source: 'default' };
  const learnedTokens = learnedWindow(input);
  if (learnedTokens === undefined || learnedTokens >= described.tokens) return described;
  return { tokens: learnedTokens, source: 'learned' };
}

function learnedWindow({ learned, discovered, nowMs }: ModelLimitsInput): number | undefined {
  if (!learned || !isLimit(learned.windowTokens)) return undefined;
  const { atMs, windowTokens } = learned;
  if (atMs === undefined) return windowTokens;
  if (nowMs !== undefined && nowMs - atMs >= learnedLifetimeMs) return undefined;
  if (discovered?.atMs !== undefined && discovered.atMs > atMs) return undefined;
  return windowTokens;
}

function firstStated(
  stated: readonly (readonly [StatedLimits | undefined, LimitSource])[],
  limit: keyof StatedLimits,
): Limit | undefined {
  for (const [limits, source] of stated) {
    const tokens = limits?.[limit];
    if (isLimit(tokens)) return { tokens: Math.floor(tokens), source };
  }
  return undefined;
}

function isLimit(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 1;
}
