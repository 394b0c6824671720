import { isObject } from '@throughline/core/codec';
import { definedIn } from '@throughline/core/internal';
import type * as wire from '@throughline/protocol/types';

/** What goes before the configuration: a request to change settings that takes nothing back. */
export type Overrides = {
  readonly [Name in keyof wire.ChangeSettingsRequest]: wire.ChangeSettingsRequest[Name];
};

type Fields = Readonly<Record<string, unknown>>;

/** Parts whose fields are changed one by one; those of `byModel` are parts themselves. */
const partDepths: Readonly<Record<string, number>> = { budget: 1, limits: 1, approvals: 1, byModel: 3 };

/** The overrides after a change of them: what is named changes, `null` takes back. */
export function merged(overrides: Overrides, change: wire.ChangeSettingsRequest): Overrides {
  const taken = Object.entries(change).map(([name, value]): [string, unknown] => [
    name,
    mergedValue((overrides as Fields)[name], value, partDepths[name] ?? 0),
  ]);
  const { summariser, ...rest } = definedIn({ ...overrides, ...Object.fromEntries(taken) });
  return {
    ...rest,
    ...(summariser !== undefined && summariser !== 'configured' && { summariser }),
  };
}

function mergedValue(held: unknown, value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return undefined;
  if (depth === 0 || !isObject(value)) return value;
  const before = isObject(held) ? (held as Fields) : {};
  const fields = Object.entries(value).map(([name, one]): [string, unknown] => [
    name,
    mergedValue(Object.hasOwn(before, name) ? before[name] : undefined, one, depth - 1),
  ]);
  const after = definedIn({ ...before, ...Object.fromEntries(fields) });
  return Object.keys(after).length > 0 ? after : undefined;
}

/** Names of the settings of which the two do not say the same. */
export function namesOfDifferent(one: Overrides, other: Overrides): readonly (keyof Overrides)[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Overrides>;
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
