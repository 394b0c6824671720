/** Where a value was said. */
export type Place =
  /** Counted from 1; `length` is that of what stands there, in characters of its first line. */
  | {
      readonly type: 'file';
      readonly file: string;
      readonly line: number;
      readonly column: number;
      readonly length: number;
    }
  | { readonly type: 'environment'; readonly variable: string };

/** A value with the place of each of its parts. */
export type Located = LocatedScalar | LocatedMap | LocatedList;

export interface LocatedScalar {
  readonly type: 'scalar';
  readonly value: unknown;
  readonly place: Place;
}

export interface LocatedMap {
  readonly type: 'map';
  readonly entries: ReadonlyMap<string, LocatedEntry>;
  readonly place: Place | undefined;
}

export interface LocatedEntry {
  /** That of the key. */
  readonly place: Place;
  readonly node: Located;
}

interface LocatedList {
  readonly type: 'list';
  readonly items: readonly Located[];
  readonly place: Place;
}

export type KeyPath = readonly PropertyKey[];

/** The bare value. */
export function plainValue(node: Located): unknown {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'list') return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainValue(entry.node)]));
}

/** The place of the key at a path, or of the nearest thing around it. */
export function keyPlaceAt(root: Located, path: KeyPath): Place | undefined {
  let place = root.place;
  let node: Located | undefined = root;
  for (const key of path) {
    const entry: LocatedEntry | undefined = node && stepInto(node, key);
    if (!entry) return place;
    place = entry.place;
    node = entry.node;
  }
  return place;
}

/** The place of the value at a path; of its key, where the value is a section or not there. */
export function placeAt(root: Located, path: KeyPath): Place | undefined {
  const node = nodeAt(root, path);
  return node?.type === 'scalar' || (node && path.length === 0) ? node.place : keyPlaceAt(root, path);
}

/** What stands at a path. */
export function nodeAt(root: Located, path: KeyPath): Located | undefined {
  let node: Located | undefined = root;
  for (const key of path) node = node && stepInto(node, key)?.node;
  return node;
}

function stepInto(node: Located, key: PropertyKey): LocatedEntry | undefined {
  if (node.type === 'map') return node.entries.get(String(key));
  const item = node.type === 'list' && typeof key === 'number' ? node.items[key] : undefined;
  return item?.place && { place: item.place, node: item };
}

/** The tree with `entry` at `path`. What is no map on the way there stays: it is a fault of its own. */
export function withEntry(root: LocatedMap, path: readonly string[], entry: LocatedEntry): LocatedMap {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return { ...root, entries: new Map([...root.entries, [key, entry]]) };
  const child = root.entries.get(key);
  if (child && child.node.type !== 'map') return root;
  const inner: LocatedMap = child?.node.type === 'map' ? child.node : emptyMap(entry.place);
  const node = withEntry(inner, rest, entry);
  return {
    ...root,
    entries: new Map([...root.entries, [key, { place: child?.place ?? entry.place, node }]]),
  };
}

export function emptyMap(place?: Place): LocatedMap {
  return { type: 'map', entries: new Map(), place };
}

/** `context.compaction.options`, with numbers in brackets. */
export function keyName(path: KeyPath): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
