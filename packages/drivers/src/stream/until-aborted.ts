/** What an aborted wait gives. */
export const aborted: unique symbol = Symbol('aborted');

/** What the promise gives, or `aborted` at once when the signal is, whatever becomes of the promise then. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | typeof aborted> {
  const { promise: abort, resolve } = Promise.withResolvers<typeof aborted>();
  const listener = (): void => resolve(aborted);
  if (signal.aborted) listener();
  // Taken away again each time: a signal lives as long as a run, and a run reads many chunks.
  signal.addEventListener('abort', listener, { once: true });
  try {
    return await Promise.race([abort, promise]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}
