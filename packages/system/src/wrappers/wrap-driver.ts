import type { DriverGuards, ModelDriver } from '@throughline/ports';

/** The same driver, with another way to stream. Not by spreading: a driver may be of a class. */
export function wrapDriver(
  driver: ModelDriver,
  stream: ModelDriver['stream'],
  added: DriverGuards = {},
): ModelDriver {
  const { name, provider, model, codec, limits, abilities } = driver;
  const known = { ...(limits && { limits }), ...(abilities && { abilities }) };
  return { name, provider, model, codec, ...known, guards: { ...driver.guards, ...added }, stream };
}
