import type { WireObject } from '../../judge/wire-value.ts';

/** What a rule finds wrong, in the words of the API where they are known. */
export interface Fault {
  readonly rule: string;
  readonly message: string;
  readonly param?: string;
}

interface RuleContext {
  /** Reasoning items that this upstream gave out, by the item that followed each. */
  readonly reasoningOfItem: ReadonlyMap<string, string>;
}

type Broken = Omit<Fault, 'rule'>;

/** Says what is wrong with a body, or nothing. */
export type Rule = (body: WireObject, context: RuleContext) => Broken | string | undefined;

export type Rules = Readonly<Record<string, Rule>>;

/** Every rule that a body breaks, in the order of the table. */
export function brokenRules(rules: Rules, body: WireObject, context: RuleContext): readonly Fault[] {
  return Object.entries(rules).flatMap(([rule, find]) => {
    const broken = find(body, context);
    if (broken === undefined) return [];
    return [{ rule, ...(typeof broken === 'string' ? { message: broken } : broken) }];
  });
}

/** The first element of a list that occurs in it twice. */
export function repeatedIn(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A positive whole number, or left out. */
export function isCountOrMissing(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'number' && value >= 1 && value % 1 === 0)
  );
}
