import { ContextError } from '../errors/context-error.ts';
import { isObject } from '../json/json.ts';
import { invalidOption } from '../errors/check-options.ts';
import { remembered } from '../transcript/memory.ts';
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

/** Whether the strategy is content with a view that was made: it has no complaint, or none in so many words. */
export function isContent(strategy: Strategy, before: View, after: View): boolean {
  const complaint = strategy.validate?.(before, after);
  return complaint === undefined || complaint === true;
}

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const isNumber: Check = (value) => typeof value === 'number' && value > 0 && value < Infinity;
const isBoolean: Check = (value) => typeof value === 'boolean';
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const keepRules: { readonly [Type in KeepRule['type']]: Fields } = {
  'last-turns': { turns: isNumber, share: isNumber },
  'last-messages': { messages: isNumber },
  'last-share': { share: isNumber },
  fill: {},
};

const isKeepRule: Check = (value) => misfit(value, keepRules) === undefined;

const ladderSteps: { readonly [Type in LadderStep['type']]: Fields } = {
  prune: {},
  review: {},
  compact: { keep: isKeepRule, writer: oneOf('model', 'code', 'none'), keepsFirstTurn: isBoolean },
};

const strategyFields: Fields = {
  name: (value) => typeof value === 'string',
  trigger: oneOf('overflow', 'threshold', 'manual'),
  triggerAt: (value) => typeof value === 'function',
  ladderSteps: Array.isArray,
  validate: (value) => value === undefined || typeof value === 'function',
};

/**
 * A strategy that people wrote is what it should be: every field of its type, every ladder step and every rule known.
 *
 * @throws {ContextError} `invalid-option` that names the field, as `strategy.ladderSteps[1].keep`.
 */
export function checkStrategy(strategy: Strategy): Strategy {
  if (!isObject(strategy))
    throw invalidOption('policy.strategy', 'a strategy, as createStrategy makes one', strategy);
  return checkedFields(strategy);
}

const checkedFields = remembered((strategy: Strategy) => {
  const field = wrongField(strategy, strategyFields);
  if (field !== undefined) throw refused(field, strategy);
  for (const [index, ladderStep] of strategy.ladderSteps.entries()) {
    const wrong = misfit(ladderStep, ladderSteps);
    if (wrong !== undefined)
      throw refused(`ladderSteps[${index}]${wrong === '' ? '' : `.${wrong}`}`, ladderStep);
  }
  return strategy;
});

/** The field of a tagged value that is not what its tag asks for; '' where there is no such tag. */
function misfit(value: unknown, table: Readonly<Record<string, Fields>>): string | undefined {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const fields = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
  return fields ? wrongField(value as object, fields) : '';
}

function wrongField(value: object, fields: Fields): string | undefined {
  const found = value as Readonly<Record<string, unknown>>;
  return Object.keys(fields).find((name) => fields[name]?.(found[name]) !== true);
}

function refused(field: string, received: unknown): ContextError<'invalid-option'> {
  const option = `strategy.${field}`;
  const expected = 'what `Strategy` says';
  return new ContextError(
    'invalid-option',
    `Expected ${option} to be ${expected}: see the guide on writing one.`,
    {
      option,
      expected,
      received,
    },
  );
}
