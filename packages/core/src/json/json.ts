/** A JSON value as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Where a value lies inside a JSON value: object keys and array positions from the root. `[]` is the root itself. */
export type Path = readonly (string | number)[];

/** One edit of a wire message. Edits of one list never overlap; a removal inside an array closes the gap. */
export type WireEdit =
  | { readonly at: Path; readonly set: Json }
  | { readonly at: Path; readonly remove: true };

/** Paths with more steps than this lead nowhere, so that a hostile nesting cannot exhaust the stack. */
export const longestPath = 1_000;

/** The value at a path; `undefined` when the path leads nowhere. Own members only. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    if (!hasMember(current, key)) return undefined;
    current = memberOf(current, key);
  }
  return current;
}

/**
 * The edits that put a text in the place of a string; with `more`, in the place of whatever stands there and of so many
 * members behind it in the same list or object, as far as they are there.
 */
export function textEdits(
  value: unknown,
  { at, text, more }: { readonly at: Path; readonly text: string; readonly more?: number },
): WireEdit[] {
  if (more === undefined) return typeof valueAt(value, at) === 'string' ? [{ at, set: text }] : [];
  const [first, ...behind] = placesFrom(value, at, more);
  if (first === undefined) return [];
  return [{ at: first, set: text }, ...behind.map((place) => ({ at: place, remove: true as const }))];
}

/** The place at a path and so many behind it in the same list or object, as far as they are there. */
export function placesFrom(value: unknown, path: Path, more: number): Path[] {
  if (path.length === 0) return [path];
  const parent = path.slice(0, -1);
  const container = valueAt(value, parent);
  const keys = Array.isArray(container) ? [...container.keys()] : Object.keys(objectOf(container));
  const first = keys.findIndex((key) => key === path.at(-1));
  return first < 0 ? [] : keys.slice(first, first + 1 + more).map((key) => [...parent, key]);
}

/** A number addresses an element of an array, a string a member of an object; nothing else is there. */
export function hasMember(value: unknown, key: string | number): boolean {
  if (typeof key === 'string') return isObject(value) && Object.hasOwn(value, key);
  return Array.isArray(value) && Number.isInteger(key) && key >= 0 && key < value.length;
}

/** The member itself, after `hasMember` said that it is there. */
export function memberOf(container: unknown, key: string | number): unknown {
  return (container as Record<string | number, unknown>)[key];
}

/** An object that is neither `null` nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const none: Readonly<Record<string, unknown>> = {};

/** The object, or an empty one: fields of what is missing are missing. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : none;
}

/** The object without the fields that hold nothing. */
export function definedIn<Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** The array, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The text, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count, 0 where there is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** What the text says; `undefined` where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
