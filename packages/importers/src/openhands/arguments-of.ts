/** The arguments of a call: parsed where they are JSON text, as they are where they are not. */
export function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
