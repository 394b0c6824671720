import { isObject, textOf } from './json-value.ts';
import type { RecordedDocument } from './source/document.ts';

const maxNames = 6;
const maxNameChars = 40;

/** What a file holds, in a few words: for the one who gave the wrong file. */
export function describeDocument(document: RecordedDocument): string {
  if (document.type === 'json') return describeValue(document.value);
  const { lines } = document;
  if (lines.length === 1) return describeValue(lines[0]?.value);
  const types = namesOf(lines.map(({ value }) => (isObject(value) ? textOf(value['type']) : undefined)));
  const first = describeValue(lines[0]?.value);
  return `${lines.length} lines (${types === '' ? `the first is ${first}` : `of the types ${types}`})`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list';
    const first: unknown = value[0];
    return `a list of ${value.length}, the first of which is ${Array.isArray(first) ? 'a list' : describeValue(first)}`;
  }
  if (!isObject(value)) return value === null ? 'null' : `a single ${typeof value}`;
  const names = namesOf(
    Object.entries(value).map(([name, member]) =>
      Array.isArray(member) && member.length === 0 ? `${name} (an empty list)` : name,
    ),
  );
  return names === '' ? 'an empty object' : `an object with ${names}`;
}

/** The first few different ones. */
function namesOf(names: readonly (string | undefined)[]): string {
  const different = [...new Set(names.filter((name) => name !== undefined))];
  const shown = different.slice(0, maxNames).map((name) => name.slice(0, maxNameChars));
  return [...shown, ...(different.length > maxNames ? ['…'] : [])].join(', ');
}
