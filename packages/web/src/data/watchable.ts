/** One value that components can follow with `useSyncExternalStore`. */
export interface Watched<Value> {
  readonly get: () => Value;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface Watchable<Value> extends Watched<Value> {
  readonly set: (value: Value) => void;
}

export function watchable<Value>(first: Value): Watchable<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
