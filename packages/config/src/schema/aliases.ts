import { faultAt } from '../yaml/config-fault.ts';
import { keyName } from '../yaml/located.ts';
import type { ConfigFault } from '../yaml/config-fault.ts';
import type { LocatedMap } from '../yaml/located.ts';

/** Keys with a second name. `*` stands for a name of the user's own. */
export const aliases: readonly Alias[] = [
  { within: [], alias: 'summariser', name: 'summarizer' },
  { within: ['context'], alias: 'compression', name: 'compaction' },
  { within: ['proxy', 'routes', '*', 'context'], alias: 'compression', name: 'compaction' },
];

interface Alias {
  readonly within: readonly string[];
  readonly alias: string;
  readonly name: string;
}

interface WithoutAliases {
  readonly root: LocatedMap;
  readonly faults: readonly ConfigFault[];
}

/** Every key by its first name. Both names at once are a fault. */
export function resolveAliases(file: LocatedMap): WithoutAliases {
  const faults: ConfigFault[] = [];
  const root = aliases.reduce(
    (all, alias) =>
      changeAt(all, alias.within, [], (map, path) => {
        const both = map.entries.get(alias.alias);
        if (both && map.entries.has(alias.name)) {
          const message = `is another name of ${alias.name}, and both are there; put everything under ${alias.name}.`;
          faults.push(faultAt(both.place, keyName([...path, alias.alias]), message));
        }
        return renamed(map, alias);
      }),
    file,
  );
  return { root, faults };
}

type Change = (map: LocatedMap, path: readonly string[]) => LocatedMap;

function changeAt(
  map: LocatedMap,
  [key, ...rest]: readonly string[],
  path: readonly string[],
  change: Change,
): LocatedMap {
  if (key === undefined) return change(map, path);
  const keys = key === '*' ? [...map.entries.keys()] : [key];
  return keys.reduce((all, name) => {
    const entry = all.entries.get(name);
    if (entry?.node.type !== 'map') return all;
    const node = changeAt(entry.node, rest, [...path, name], change);
    return { ...all, entries: new Map([...all.entries, [name, { ...entry, node }]]) };
  }, map);
}

function renamed(map: LocatedMap, { alias, name }: Alias): LocatedMap {
  if (!map.entries.has(alias)) return map;
  const isDouble = map.entries.has(name);
  const entries = [...map.entries].flatMap(([key, entry]) => {
    if (key !== alias) return [[key, entry] as const];
    return isDouble ? [] : [[name, entry] as const];
  });
  return { ...map, entries: new Map(entries) };
}
