import { aliases } from '../schema/aliases.ts';
import { knownKeys } from '../schema/known-keys.ts';
import type { KnownKey } from '../schema/known-keys.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const variablePrefix = 'THROUGHLINE_';

/** The variable that names the file. */
export const fileVariable = 'THROUGHLINE_CONFIG';

/** The key for an address that is not a provider's own. */
export const keyVariable = 'THROUGHLINE_API_KEY';

/** Variables of ours that set no key of the configuration. */
const others = new Set([
  fileVariable,
  keyVariable,
  'THROUGHLINE_CALL_ID',
  'THROUGHLINE_CHECKS_BESIDE',
  'THROUGHLINE_DEBUG',
  'THROUGHLINE_FAILED_CHECKS',
  'THROUGHLINE_SESSIONS',
]);

export const isOtherVariable = (variable: string): boolean => others.has(variable);

/** A key that a variable sets. */
export interface VariableKey {
  readonly path: readonly string[];
  readonly kind: KnownKey['kind'];
}

/** Keys that have a variable: all with a name of their own that hold one value, and those of tools. */
const settable = knownKeys.filter(({ path, kind }) => kind !== 'map' && !isNamed(path));
const toolKeys = knownKeys.filter(({ path }) => path[0] === 'tools');
const toolPrefix = `${variablePrefix}TOOLS_`;

function isNamed(path: readonly string[]): boolean {
  return path.includes('*');
}

const byVariable: ReadonlyMap<string, VariableKey> = new Map(
  settable.flatMap((key) => spellingsOf(key.path).map((path) => [variableOf(path), key] as const)),
);

/** A path, and the same by its alias. */
function spellingsOf(path: readonly string[]): readonly (readonly string[])[] {
  const others = aliases
    .filter(({ within, name }) => [...within, name].every((key, at) => path[at] === key))
    .map(({ within, alias }) => [...within, alias, ...path.slice(within.length + 1)]);
  return [path, ...others];
}

/**
 * The variable of a key: `context.compaction.options.keepPercent` is
 * `THROUGHLINE_CONTEXT_COMPACTION_OPTIONS_KEEP_PERCENT`.
 */
export function variableOf(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase());
  return variablePrefix + words.join('_');
}

export const variables: readonly string[] = [...byVariable.keys()];

/** The key a variable sets, or `undefined`. */
export function keyOfVariable(variable: string): VariableKey | undefined {
  const known = byVariable.get(variable);
  if (known || !variable.startsWith(toolPrefix)) return known;
  for (const { path, kind } of toolKeys) {
    const ending = variableOf(path.slice(2)).slice(variablePrefix.length - 1);
    const name = variable.slice(toolPrefix.length, -ending.length);
    if (variable.endsWith(ending) && name !== '')
      return { path: ['tools', name.toLowerCase(), ...path.slice(2)], kind };
  }
  return undefined;
}
