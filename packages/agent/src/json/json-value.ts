import { isObject } from '@throughline/core/codec';
import type { Json } from '@throughline/core/codec';

/** `Array.isArray` does not tell the compiler of lists that are only read. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The fields of an object; of anything else none. */
export function fieldsOf(value: Json | undefined): { readonly [name: string]: Json | undefined } {
  return isObject(value) ? value : {};
}

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
