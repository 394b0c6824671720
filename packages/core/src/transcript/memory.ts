/**
 * The one memory of core: what it knows of objects that never change (messages, parts, views, lists of changes), kept as
 * long as the object lives and no longer. No other file holds such a table.
 *
 * A memory, never a source of truth: whatever is in it can be forgotten at any time, and is then made again with the same
 * result. It is never stored, and a copy of an object begins with nothing.
 */
export interface Memory<Key extends object, Value> {
  recall(key: Key): Value | undefined;
  /** In place of what was known of the object before. */
  remember(key: Key, value: Value): void;
}

/** A memory of its own, for what cannot be computed from the object alone: what is known of it so far. */
export function createMemory<Key extends object, Value>(): Memory<Key, Value> {
  const known = new WeakMap<Key, Value>();
  return {
    recall: (key) => known.get(key),
    remember: (key, value) => void known.set(key, value),
  };
}

/**
 * The function that computes once for each object, and after that remembers. What throws, and what comes to `undefined`,
 * is not remembered.
 *
 * @param compute of the object; what else it needs (`beside`) has to be the same whenever the object is
 */
export function remembered<Key extends object, Value, Beside = void>(
  compute: (key: Key, beside: Beside) => Value,
): (key: Key, beside: Beside) => Value {
  const known = new WeakMap<Key, Value>();
  return (key, beside) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key, beside);
    if (value !== undefined) known.set(key, value);
    return value;
  };
}
