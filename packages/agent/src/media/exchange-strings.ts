import type { Json } from '@throughline/core';

/** The value with other strings in the place of these, where one stands as a whole. Keys stay. */
export function exchangeStrings(value: Json, strings: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return strings.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => exchangeStrings(item, strings));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      item === undefined ? item : exchangeStrings(item, strings),
    ]),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
