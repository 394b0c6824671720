import { aliases } from './aliases.ts';
import { inputSchema } from './known-keys.ts';
import type { SchemaNode } from './known-keys.ts';

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
