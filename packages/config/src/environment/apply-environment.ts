import { faultAt } from '../yaml/config-fault.ts';
import { isOtherVariable, keyOfVariable, variablePrefix, variables } from './variables.ts';
import { nearestKey } from '../schema/nearest-key.ts';
import { splitModel } from '../schema/model-section.ts';
import { emptyMap, keyName, withEntry } from '../yaml/located.ts';
import { secretKeys } from '../schema/secrets.ts';
import type { ConfigFault } from '../yaml/config-fault.ts';
import type { Environment, VariableKey } from './variables.ts';
import type { Located, LocatedEntry, LocatedMap, LocatedScalar, Place } from '../yaml/located.ts';

interface WithEnvironment {
  readonly root: LocatedMap;
  /** Names of the variables that set a key. */
  readonly used: readonly string[];
  /** Variables that look like ours and are not: other programs may set such, so they are no faults. */
  readonly warnings: readonly ConfigFault[];
}

/**
 * What the environment says goes before the file. A variable that is empty says nothing. The shorter name goes first,
 * so that `THROUGHLINE_MODEL_BASE_URL` adds to `THROUGHLINE_MODEL`.
 *
 * @param named whether the file names a variable, as `tokenEnv` and `${…}` do
 */
export function applyEnvironment(
  file: LocatedMap,
  environment: Environment,
  named: (variable: string) => boolean,
): WithEnvironment {
  const given = Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !isOtherVariable(name))
    .filter((name) => (environment[name] ?? '').trim() !== '')
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  let root = file;
  const used: string[] = [];
  const unknown: string[] = [];
  for (const variable of given) {
    const key = keyOfVariable(variable);
    if (key) {
      const text = environment[variable] ?? '';
      root = withVariable(root, key, locateText(text, key, { type: 'environment', variable }));
      used.push(variable);
    } else unknown.push(variable);
  }
  // A variable may name another, as the one for `tokenEnv` does.
  const values = new Set(textsIn(root));
  const warnings = unknown
    .filter((variable) => !named(variable) && !values.has(variable))
    .map((variable) =>
      faultAt({ type: 'environment', variable }, '', `nothing reads this variable${hintFor(variable)}`),
    );
  return { root, used, warnings };
}

/** Variables that a file names where it was written: those whose name stands as a value, and those in a reference. */
export function variablesNamedIn(root: LocatedMap): (variable: string) => boolean {
  const texts = textsIn(root);
  const referred = texts.flatMap((text) => [...text.matchAll(reference)].map(([, name]) => name));
  const all = new Set([...texts, ...referred]);
  return (variable) => all.has(variable);
}

function textsIn(node: Located): readonly string[] {
  if (node.type === 'scalar') return typeof node.value === 'string' ? [node.value] : [];
  const inside = node.type === 'list' ? node.items : [...node.entries.values()].map((entry) => entry.node);
  return inside.flatMap(textsIn);
}

function hintFor(variable: string): string {
  const bare = variable.slice(variablePrefix.length);
  const nearest = nearestKey(
    bare,
    variables.map((name) => name.slice(variablePrefix.length)),
  );
  return nearest === undefined ? '.' : `; did you mean ${variablePrefix}${nearest}?`;
}

function withVariable(root: LocatedMap, { path }: VariableKey, entry: LocatedEntry): LocatedMap {
  const [top = '', ...rest] = path;
  const existing = root.entries.get(top);
  if (rest.length === 0 || !existing) return withEntry(root, path, entry);
  return withEntry(withEntry(root, [top], { ...existing, node: asSection(existing.node) }), path, entry);
}

/** `provider:name` as the section it stands for, so that a variable can change one key of it; `same` as an empty one. */
function asSection(node: Located): Located {
  if (node.type === 'scalar' && node.value === 'same') return emptyMap(node.place);
  const model = node.type === 'scalar' ? splitModel(node.value) : undefined;
  if (!model || node.type !== 'scalar') return node;
  const { place } = node;
  const entries = Object.entries(model).map(
    ([key, value]) => [key, { place, node: { type: 'scalar', value, place } }] as const,
  );
  return { ...emptyMap(place), entries: new Map<string, LocatedEntry>(entries) };
}

function locateText(text: string, { kind }: VariableKey, place: Place): LocatedEntry {
  if (kind !== 'list') {
    return { place, node: { type: 'scalar', value: kind === 'boolean' ? asFlag(text) : text.trim(), place } };
  }
  const items = text.split(',').map((item): Located => ({ type: 'scalar', value: item.trim(), place }));
  return { place, node: { type: 'list', items, place } };
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function asFlag(text: string): unknown {
  return flags.get(text.trim().toLowerCase()) ?? text;
}

interface Expanded {
  readonly root: LocatedMap;
  readonly faults: readonly ConfigFault[];
}

/** `${NAME}` or `${NAME:-otherwise}`. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts the values of variables into the secrets of the file, which may name variables instead of holding a value. A
 * variable that is not set is a fault.
 */
export function expandVariables(file: LocatedMap, environment: Environment): Expanded {
  const faults: ConfigFault[] = [];

  function visit(node: Located, path: readonly PropertyKey[], isSecret: boolean): Located {
    if (node.type === 'scalar') return isSecret ? expand(node, path) : node;
    if (node.type === 'list')
      return { ...node, items: node.items.map((item, at) => visit(item, [...path, at], isSecret)) };
    return visitMap(node, path, isSecret);
  }

  function visitMap(map: LocatedMap, path: readonly PropertyKey[], isSecret: boolean): LocatedMap {
    const entries = [...map.entries].map(([key, entry]): [string, LocatedEntry] => {
      const node = visit(entry.node, [...path, key], isSecret || secretKeys.has(key));
      return [key, { ...entry, node }];
    });
    return { ...map, entries: new Map(entries) };
  }

  function expand(node: LocatedScalar, path: readonly PropertyKey[]): LocatedScalar {
    const { value, place } = node;
    if (place.type !== 'file' || typeof value !== 'string' || !value.includes('${')) return node;
    let variable: string | undefined;
    const expanded = value.replace(reference, (_whole, name: string, otherwise?: string) => {
      variable ??= name;
      const held = environment[name] ?? otherwise;
      if (held === undefined) {
        const message = `expected the environment variable ${name} to be set, found none.`;
        faults.push(faultAt(place, keyName(path), message));
      }
      return held ?? '';
    });
    return variable === undefined
      ? node
      : { ...node, value: expanded, place: { type: 'environment', variable } };
  }

  return { root: visitMap(file, [], false), faults };
}
