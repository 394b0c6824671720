import { isObject } from '@throughline/core/codec';
import { countOf, listOf, objectOf } from '@throughline/core/internal';
import type { WireObject } from '@throughline/core/internal';

export { countOf, isObject, listOf, objectOf };
export type { WireObject };

/** A string with at least one character, or `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Time of an ISO string or a number of milliseconds; `undefined` for anything else. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}
