import { z } from 'zod';
import { configSchema } from './config.ts';
import { aliases } from './aliases.ts';

/** One key of the configuration, as documentation and the environment know it. */
export interface KnownKey {
  /** `*` stands for a name of the user's own. */
  readonly path: readonly string[];
  readonly about: string;
  /** What may stand there. */
  readonly expected: string;
  readonly kind: 'boolean' | 'list' | 'map' | 'value';
  readonly default: unknown;
  /** The default in words, where it is no plain value. */
  readonly defaultText: string | undefined;
}

/** A JSON schema as zod writes it, as far as it is looked at. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly expected?: string;
  readonly defaultValue?: unknown;
  readonly defaultText?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly anyOf?: readonly SchemaNode[];
}

const kinds: ReadonlyMap<unknown, KnownKey['kind']> = new Map([
  ['boolean', 'boolean'],
  ['array', 'list'],
  ['object', 'map'],
]);

/** The schema of what may be written; beside it `expected`, and `defaultValue`, or `defaultText` where it is told in words. */
const inputSchema: SchemaNode = z.toJSONSchema(configSchema, {
  io: 'input',
  target: 'draft-7',
}) as SchemaNode;

/** Every key that holds a value, in the order of the schema. */
export const knownKeys: readonly KnownKey[] = keysOf(inputSchema, []);

function keysOf(node: SchemaNode, path: readonly string[]): KnownKey[] {
  const below = withBranches(node).flatMap((one) => childrenOf(one, path));
  const isLeaf = below.length === 0 || node.anyOf?.some(({ type }) => type === 'string') === true;
  const keys = [...(isLeaf ? [leaf(node, path)] : []), ...below];
  return [...new Map(keys.map((key) => [key.path.join('.'), key])).values()];
}

function childrenOf(node: SchemaNode, path: readonly string[]): KnownKey[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    keysOf(child, [...path, name]),
  );
  const { additionalProperties: named } = node;
  return named && (named.properties || named.anyOf) ? [...own, ...keysOf(named, [...path, '*'])] : own;
}

function leaf(node: SchemaNode, path: readonly string[]): KnownKey {
  return {
    path,
    about: node.description ?? '',
    expected: node.expected ?? node.anyOf?.[0]?.expected ?? '',
    kind: kinds.get(node.type) ?? 'value',
    default: node.defaultValue,
    defaultText: node.defaultText,
  };
}

/** The keys that may stand at a path. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let nodes: readonly SchemaNode[] = [inputSchema];
  for (const key of path) {
    nodes = nodes.flatMap(withBranches).flatMap((node) => {
      const child = ownChild(node, String(key)) ?? (node.additionalProperties || undefined);
      return child ? [child] : [];
    });
  }
  return [...new Set(nodes.flatMap(withBranches).flatMap((node) => Object.keys(node.properties ?? {})))];
}

function ownChild({ properties }: SchemaNode, key: string): SchemaNode | undefined {
  return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function withBranches(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...(node.anyOf ?? [])];
}

/** The JSON schema of a configuration file (draft 7), for editors. */
export function jsonSchema(): object {
  const withAliases = aliases.reduce<SchemaNode>(
    (schema, { within, alias, name }) =>
      changeAt(schema, within, (node) => {
        const first = node.properties?.[name];
        const second = first && { ...first, description: `Another name of \`${name}\`.` };
        return { ...node, properties: { ...node.properties, ...(second && { [alias]: second }) } };
      }),
    inputSchema,
  );
  return { title: 'Throughline configuration', ...(forPeople(withAliases) as object) };
}

function changeAt(
  node: SchemaNode,
  [key, ...rest]: readonly string[],
  change: (node: SchemaNode) => SchemaNode,
): SchemaNode {
  if (key === undefined) return change(node);
  if (key === '*') {
    const { additionalProperties: named } = node;
    return named ? { ...node, additionalProperties: changeAt(named, rest, change) } : node;
  }
  const child = node.properties?.[key];
  return child ? { ...node, properties: { ...node.properties, [key]: changeAt(child, rest, change) } } : node;
}

/** Editors show descriptions: a default that is told in words becomes part of them. */
function forPeople(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forPeople);
  if (typeof value !== 'object' || value === null) return value;
  const { defaultText, defaultValue, expected: _expected, ...rest } = value as SchemaNode;
  const shown = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, forPeople(one)]));
  if (defaultValue !== undefined) return { ...shown, default: defaultValue };
  if (defaultText === undefined) return shown;
  return { ...shown, description: `${rest.description ?? ''} Default: ${defaultText}.` };
}
