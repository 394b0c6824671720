import type { Json } from '@throughline/core/codec';
import type { ContextSetup } from './context-setup.ts';

/** The named value of a session that holds its pins. */
export const pinsName = 'pins';

/** Places in the history, in order. */
export function readPins(value: Json): readonly number[] {
  if (!Array.isArray(value)) return [];
  const pins = value.filter((pin) => typeof pin === 'number' && Number.isSafeInteger(pin) && pin >= 0);
  return [...new Set(pins as readonly number[])].toSorted((left, right) => left - right);
}

/** The same with these pins, also without the tools that a model can do without. */
export function withPins(setup: ContextSetup, pins: readonly number[]): ContextSetup {
  if (pins.length === 0 && setup.policy.pins === undefined) return setup;
  const { withFewTools, ...rest } = setup;
  return {
    ...rest,
    policy: { ...setup.policy, pins },
    ...(withFewTools ? { withFewTools: () => withPins(withFewTools(), pins) } : {}),
  };
}
