import type { Json } from '@throughline/core/codec';

/** The named value of a session that holds its pins. */
export const pinsName = 'pins';

/** Places in the history, in order. */
export function readPins(value: Json): readonly number[] {
  if (!Array.isArray(value)) return [];
  const pins = value.filter((pin) => typeof pin === 'number' && Number.isSafeInteger(pin) && pin >= 0);
  return [...new Set(pins as readonly number[])].toSorted((left, right) => left - right);
}
