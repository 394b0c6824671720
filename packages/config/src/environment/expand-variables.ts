import { faultAt } from '../config-fault.ts';
import { keyName } from '../yaml/located.ts';
import type { ConfigFault } from '../config-fault.ts';
import type { Environment } from './variables.ts';
import type { Located, LocatedEntry, LocatedMap, LocatedScalar } from '../yaml/located.ts';

export interface Expanded {
  readonly root: LocatedMap;
  readonly faults: readonly ConfigFault[];
}

/** Keys whose values are secrets, and may name variables instead of holding them. */
const secretKeys = new Set(['apiKey', 'env', 'headers']);

/** `${NAME}` or `${NAME:-otherwise}`. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Puts the values of variables into the secrets of the file. A variable that is not set is a fault. */
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
