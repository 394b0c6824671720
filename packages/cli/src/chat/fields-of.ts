import type { Json } from '@throughline/core';

/** The fields of an object, none for anything else. */
export function fieldsOf(json: Json | undefined): { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !isList(json) ? json : {};
}

export function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}
