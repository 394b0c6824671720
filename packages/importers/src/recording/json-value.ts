import { isObject } from '@throughline/core/codec';

export { isObject };

/** A JSON object of unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is something else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as an array; an empty one when it is something else. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string with at least one character, or `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number ≥ 0; anything else counts as 0. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Time of an ISO string or a number of milliseconds; `undefined` for anything else. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}
