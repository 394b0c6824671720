import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

/** Text of each file, by its path from the root of the repository, with `/` on every platform. */
export type SourceFiles = Readonly<Record<string, string>>;

export interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

/** A node of the syntax tree, seen only as far as the checks look. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function readSources(patterns: readonly string[]): SourceFiles {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/fixtures/**'];
  const paths = globSync(patterns, { cwd: root, exclude }).map((path) => path.replaceAll('\\', '/'));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

/** What a text imports, and the path it was read for. Five checks ask about the same sources. */
const knownImports = new Map<string, { readonly path: string; readonly imports: readonly Import[] }>();

/** Every `import`, `export … from`, `import()` and `import('…')` type with a literal specifier. */
export function importsOf(path: string, text: string): readonly Import[] {
  const known = knownImports.get(text);
  if (known?.path === path) return known.imports;
  const imports = findImports(path, text);
  knownImports.set(text, { path, imports });
  return imports;
}

function findImports(path: string, text: string): readonly Import[] {
  const found: Import[] = [];
  walk(parse(path, text), (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ specifier, isTypeOnly: isTypeOnly(node) });
  });
  return found;
}

const environmentNames = new Set(
  (
    'process console performance globalThis navigator crypto fetch Buffer require ' +
    'setTimeout setInterval setImmediate queueMicrotask WeakRef FinalizationRegistry'
  ).split(' '),
);

/** Uses of what differs between two runs: the clock, dice, the locale, the process. */
export function environmentReadsOf(path: string, text: string): readonly string[] {
  const found: string[] = [];
  walk(parse(path, text), (node, parent) => {
    const name = nameOf(node);
    if (name === undefined) return;
    const member = parent?.type === 'MemberExpression' && parent['object'] === node ? parent : undefined;
    const property = member?.['computed'] === false ? nameOf(member['property'] as Node) : undefined;
    const isPlain = isValue(node, parent);
    if (name === 'Date' && isPlain && property !== 'parse' && property !== 'UTC') found.push('Date');
    if (name === 'Math' && isPlain && (property === undefined || property === 'random'))
      found.push('Math.random');
    if (environmentNames.has(name) && isPlain) found.push(name);
    if (isMemberName(node, parent) && /^(toLocale\w*|localeCompare)$/.test(name)) found.push(name);
  });
  return found;
}

/** The public names of an entry file, one a line: `name`, or `type Name`. Sorted by name. */
export function exportedNamesOf(path: string, text: string): readonly string[] {
  const lines: (readonly [name: string, line: string])[] = [];
  const add = (node: unknown, isType: boolean): void => {
    const name = nameOf(node as Node) ?? '?';
    lines.push([name, isType ? `type ${name}` : name]);
  };
  for (const node of parse(path, text)['body'] as readonly Node[]) {
    if (node.type === 'ExportAllDeclaration')
      throw new Error(`${path}: list public names one by one, not \`*\``);
    if (node.type === 'ExportDefaultDeclaration') lines.push(['default', 'default']);
    if (node.type !== 'ExportNamedDeclaration') continue;
    for (const specifier of node['specifiers'] as readonly Node[]) {
      add(specifier['exported'], node['exportKind'] === 'type' || specifier['exportKind'] === 'type');
    }
    const declaration = node['declaration'] as Node | null;
    if (!declaration) continue;
    const declared = (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration];
    for (const { id } of declared) add(id, declaration.type.startsWith('TS'));
  }
  return lines.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

function parse(path: string, text: string): Node {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  return parseAst(text, { lang }, path) as unknown as Node;
}

function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const field of Object.values(node)) {
    for (const child of Array.isArray(field) ? field : [field]) if (isNode(child)) walk(child, visit, node);
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
  'TSExternalModuleReference',
]);

function specifierOf(node: Node): string | undefined {
  if (!importing.has(node.type)) return undefined;
  const source = (node['source'] ?? node['expression']) as Node | null | undefined;
  return typeof source?.['value'] === 'string' ? source['value'] : undefined;
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType') return true;
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = (node['specifiers'] ?? []) as readonly Node[];
  const isType = (one: Node): boolean => one['importKind'] === 'type' || one['exportKind'] === 'type';
  return specifiers.length > 0 && specifiers.every(isType);
}

function nameOf(node: Node | null | undefined): string | undefined {
  const name = node?.type === 'Identifier' ? node['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function isMemberName(node: Node, parent: Node | undefined): boolean {
  return parent?.type === 'MemberExpression' && parent['property'] === node && parent['computed'] === false;
}

/** Whether an identifier stands for a value, and not for a key, a member or a type. */
function isValue(node: Node, parent: Node | undefined): boolean {
  if (!parent || isMemberName(node, parent)) return false;
  if (parent.type === 'Property') return parent['value'] === node || parent['computed'] === true;
  return !parent.type.startsWith('TS') || ['TSAsExpression', 'TSSatisfiesExpression'].includes(parent.type);
}
