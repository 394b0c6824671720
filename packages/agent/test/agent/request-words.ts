/**
 * A message as the bytes that count: without marks for the cache, which move on with each request and make a list of a
 * text.
 */
export function wordsOf(message: unknown): string {
  return JSON.stringify(plain(message)) ?? '';
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    const [only] = items as readonly [Record<string, unknown>?];
    const isText = items.length === 1 && only?.['type'] === 'text' && Object.keys(only).length === 2;
    return isText ? only['text'] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, item]) => [key, plain(item)]),
  );
}
