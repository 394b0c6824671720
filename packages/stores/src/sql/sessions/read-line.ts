import type { AddedMessage } from '../messages/write-messages.ts';
import type { ColumnType } from './export-session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What may stand beside the message in its line. */
const besideMessage: Readonly<Record<string, string>> = {
  createdAtMs: 'number',
  isOpen: 'boolean',
  model: 'string',
  error: 'string',
  parentId: 'string',
};
const inMarks: Readonly<Record<string, string>> = {
  isTruncated: 'boolean',
  isCancelled: 'boolean',
  compactedAtMs: 'number',
  // Of exports that were written before; nothing is kept of them.
  tokens: 'number',
  originalTokens: 'number',
};

export function messageOf(fields: Fields): AddedMessage {
  const { line: _line, message, marks = [], ...rest } = fields;
  requireFields(rest, besideMessage);
  if (!Array.isArray(marks)) throw new TypeError('has no list of marks');
  for (const mark of marks) requireFields(mark, inMarks);
  requireFields(message, { id: 'string' }, true);
  return { ...rest, marks, message } as AddedMessage;
}

/** Whether the fields that are there are of their types; unknown ones are refused unless `isOpen`. */
function requireFields(
  value: unknown,
  types: Readonly<Record<string, string>>,
  isOpen = false,
): asserts value is object {
  if (typeof value !== 'object' || value === null) throw new TypeError('has something else for an object');
  for (const [name, type] of Object.entries(types)) {
    const field = (value as Fields)[name];
    if (typeof field !== type && (field !== undefined || isOpen))
      throw new TypeError(`has no ${name} of type ${type}`);
  }
  if (isOpen) return;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(types, name));
  if (unknown !== undefined) throw new TypeError(`has a field that is not known: ${unknown}`);
}

/** The columns of a line, checked: what a table would take silently as something else is refused. */
export function decoded(
  fields: Fields,
  columns: Readonly<Record<string, ColumnType>>,
): Record<string, string | number | null> {
  const entries = Object.entries(columns).map(([name, type]) => {
    const value = fields[name];
    if (type.endsWith('?') && (value === null || value === undefined)) return [name, null] as const;
    if (type.startsWith('json') && value !== undefined) return [name, JSON.stringify(value)] as const;
    if (type.startsWith('text') && typeof value === 'string') return [name, value] as const;
    if (type.startsWith('number') && typeof value === 'number') return [name, value] as const;
    throw new TypeError(`has no ${name} of type ${type}`);
  });
  return Object.fromEntries(entries);
}
