import { isObject } from '../json/json.ts';
import {
  anything,
  checkOptions,
  invalidOption,
  oneOfTexts,
  optionalFlag,
  optionalFunction,
  optionalText,
  required,
} from '../errors/check-options.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import type { KeepRule } from '../stages/choose-cut.ts';
import type { View } from '../changes/view.ts';

/** One way to make the context smaller, cheapest first. `fit` needs no mention: it is always the last. */
export type LadderStep =
  /** Prune old results and arguments. */
  | { readonly type: 'prune' }
  /** A model decides message by message what is dropped or truncated. Skipped where no model may be asked. */
  | { readonly type: 'review' }
  /** Replace old messages by a summary; `none` writes the code-written parts only. */
  | {
      readonly type: 'compact';
      readonly keep: KeepRule;
      readonly writer: 'model' | 'code' | 'none';
      readonly keepsFirstTurn: boolean;
    };

/** When and how the context is made smaller. Write your own: a plain object. */
export interface Strategy {
  readonly name: string;
  /** `manual`: only when the user asks. */
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  /** Measured size of the next request, in tokens, above which the ladder runs. At most `usableTokens`. */
  triggerAt(usableTokens: number, windowTokens: number): number;
  /** The ladder steps in order; each is tried at most once per step, and only while the target is not reached. */
  readonly ladderSteps: readonly LadderStep[];
  /**
   * What is wrong with `after`: a sentence, or `false`; `undefined` or `true` where nothing is. Asked after each compaction; one
   * that fails is not carried out, and the next ladder step runs.
   */
  validate?(before: View, after: View): string | boolean | undefined;
}

const complaints: OptionCheck = {
  // A promise would be no consent, and refuse every compaction without a word.
  expected: 'a sentence, true, false or undefined, at once',
  fits: (value) => value === undefined || typeof value === 'boolean' || typeof value === 'string',
};

/** Whether the strategy is content with a view that was made: it has no complaint, or none in so many words. */
export function isContent(strategy: Strategy, before: View, after: View): boolean {
  const complaint: unknown = strategy.validate?.(before, after);
  if (!complaints.fits(complaint)) throw invalidOption('strategy.validate()', complaints.expected, complaint);
  return complaint === undefined || complaint === true;
}

type Fields = Readonly<Record<string, OptionCheck>>;

const positive: OptionCheck = {
  expected: 'a finite number above 0',
  fits: (value) => typeof value === 'number' && value > 0 && value < Infinity,
};

const shareOfAll: OptionCheck = {
  expected: 'a share above 0, at most 1',
  fits: (value) => typeof value === 'number' && value > 0 && value <= 1,
};

const keepRules: { readonly [Type in KeepRule['type']]: Fields } = {
  'last-turns': { turns: positive, share: shareOfAll },
  'last-messages': { messages: positive },
  'last-share': { share: shareOfAll },
  fill: {},
};

const ladderSteps: { readonly [Type in LadderStep['type']]: Fields } = {
  prune: {},
  review: {},
  compact: {
    writer: oneOfTexts('model', 'code', 'none'),
    keepsFirstTurn: optionalFlag,
    // Looked at by its own table.
    keep: anything,
  },
};

const strategyFields: OptionChecks<Strategy> = {
  name: required(optionalText),
  trigger: required(oneOfTexts('overflow', 'threshold', 'manual')),
  triggerAt: required(optionalFunction),
  ladderSteps: required({ expected: 'a list of ladder steps', fits: Array.isArray }),
  validate: optionalFunction,
};

/**
 * A strategy that people wrote is what it should be: every field known and of its type, every ladder step and every rule known.
 *
 * @throws {ContextError} `invalid-option` that names the field, as `strategy.ladderSteps[1].keep`.
 */
export function checkStrategy(strategy: Strategy): Strategy {
  if (!isObject(strategy))
    throw invalidOption('policy.strategy', 'a strategy, as createStrategy makes one', strategy);
  checkOptions('strategy', strategy, strategyFields);
  for (const [index, ladderStep] of strategy.ladderSteps.entries()) {
    const place = `strategy.ladderSteps[${index}]`;
    checkTagged(place, ladderStep, { what: 'a ladder step', table: ladderSteps });
    if (ladderStep.type === 'compact')
      checkTagged(`${place}.keep`, ladderStep.keep, { what: 'a rule of what is kept', table: keepRules });
  }
  return strategy;
}

/** A value whose `type` says which fields it has. */
function checkTagged(
  place: string,
  value: unknown,
  { what, table }: { readonly what: string; readonly table: Readonly<Record<string, Fields>> },
): void {
  const type = isObject(value) ? value['type'] : undefined;
  const fields = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
  if (!fields) throw invalidOption(place, what, type ?? value, Object.keys(table));
  checkOptions(place, value, { type: anything, ...everyOne(fields) });
}

/** None of them has a default. */
function everyOne(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, required(check)]));
}
