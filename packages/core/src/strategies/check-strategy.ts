import { ContextError } from '../errors/context-error.ts';
import { invalidOption, isOptions } from '../errors/check-options.ts';
import { remembered } from '../transcript/memory.ts';
import type { KeepRule } from '../stages/choose-cut.ts';
import type { LadderStep, Strategy } from './strategy.ts';

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
  if (!isOptions(strategy))
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
