/** Values nested deeper than this are not set out any more: their white space alone would be quadratic. */
const deepestIndent = 100;

/**
 * The JSON text of a value, as `JSON.stringify` writes it, at any depth of nesting. That one runs out of stack, and
 * takes quadratic time before it does; a value more than 500 levels deep is written without it, and what lies more
 * than 100 levels down in such a one then stands on one line. A value that JSON has no text for is `null`.
 *
 * @throws {TypeError} for a value that contains itself.
 */
export function writeJson(value: unknown, indent = ''): string {
  if (isDeeperThan(value, deepestForStack)) return writeDeep(value, indent);
  return JSON.stringify(value, null, indent) ?? 'null';
}

/** Values nested deeper than this are not left to the stack. */
const deepestForStack = 500;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** What is still to be done, the next at the end: a text to write, a value, or a container that is written whole. */
type Task = string | { readonly value: unknown; readonly depth: number } | { readonly whole: object };

function writeDeep(root: unknown, indent: string): string {
  const pieces: string[] = [];
  const open = new Set<object>();
  const tasks: Task[] = [{ value: plain(root), depth: 0 }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (typeof task === 'string') pieces.push(task);
    else if ('whole' in task) open.delete(task.whole);
    else if (typeof task.value !== 'object' || task.value === null) {
      pieces.push(JSON.stringify(task.value) ?? 'null');
    } else {
      if (open.has(task.value)) throw new TypeError('a value that contains itself has no JSON text');
      open.add(task.value);
      tasks.push({ whole: task.value });
      for (const inner of tasksOf(task.value, task.depth, indent).reverse()) tasks.push(inner);
    }
  }
  return pieces.join('');
}

/** The elements of a container between its brackets. */
function tasksOf(container: object, depth: number, indent: string): Task[] {
  const isSetOut = indent !== '' && depth < deepestIndent;
  const lineEnd = (level: number): string => (isSetOut ? `\n${indent.repeat(level)}` : '');
  const [first, last] = Array.isArray(container) ? '[]' : '{}';
  const tasks: Task[] = [];
  for (const { name, value } of elementsOf(container)) {
    const label = name === undefined ? '' : `${JSON.stringify(name)}:${isSetOut ? ' ' : ''}`;
    const before = tasks.length === 0 ? first : ',';
    tasks.push(`${before}${lineEnd(depth + 1)}${label}`, { value, depth: depth + 1 });
  }
  if (tasks.length === 0) return [`${first}${last}`];
  tasks.push(`${lineEnd(depth)}${last}`);
  return tasks;
}

function elementsOf(container: object): { readonly name?: string; readonly value: unknown }[] {
  if (Array.isArray(container)) return Array.from(container, (value) => ({ value: plain(value) }));
  return Object.entries(container)
    .map(([name, value]) => ({ name, value: plain(value) }))
    .filter(({ value }) => !isUnsayable(value));
}

/** What a date or an address says of itself. */
function plain(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || !('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  return value.toJSON() as unknown;
}

function isUnsayable(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
