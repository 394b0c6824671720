/**
 * A message as the bytes that count: without marks for the cache, which move on with each request and make a list of a
 * text.
 */
export function wordsOf(message: unknown): string {
  return JSON.stringify(plain(message)) ?? '';
}

function isBareText(item: unknown): item is { readonly text: unknown } {
  const { type, ...rest } = (item ?? {}) as { readonly type?: unknown };
  return type === 'text' && Object.keys(rest).join() === 'text';
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    const only: unknown = items.length === 1 ? items[0] : undefined;
    return isBareText(only) ? only.text : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, item]) => [key, plain(item)]),
  );
}
