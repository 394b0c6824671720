/**
 * The value of a promise, or what `onAbort` gives `graceMs` after the signal is aborted, whichever comes first. What
 * loses the race is left alone; its rejection is nobody's.
 */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  onAbort: () => Value,
  graceMs = 0,
): Promise<Value> {
  const { promise: aborted, resolve } = Promise.withResolvers<Value>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listener = (): void => {
    timer = setTimeout(() => resolve(onAbort()), graceMs);
  };
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', listener);
  }
}
