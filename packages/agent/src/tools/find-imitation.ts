import { parsePlaceholder } from '@throughline/core';
import type { Json } from '@throughline/core';

// Longer than any placeholder up to the end of its ids.
const window = 120;
const maxTried = 50;

/**
 * The first placeholder in the arguments whose original exists: the model repeats what stands for a text instead of the
 * text. Grammar alone is not enough (a text may be about placeholders), nor is an id.
 */
export async function findImitation(
  input: Json,
  exists: (recallId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const tried = new Set<string>();
  for (const text of stringsIn(input)) {
    for (let at = text.indexOf('['); at >= 0 && tried.size < maxTried; at = text.indexOf('[', at + 1)) {
      const end = text.indexOf('[', at + 1);
      const found = parsePlaceholder(text.slice(at, Math.min(at + window, end < 0 ? Infinity : end)));
      if (!found || tried.has(found.recallId)) continue;
      tried.add(found.recallId);
      if (await exists(found.recallId)) return found.recallId;
    }
  }
  return undefined;
}

/** All strings of a value, keys included. Nesting of any depth. */
function* stringsIn(value: Json): Generator<string> {
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) {
      for (const key of Object.keys(next)) yield key;
      left.push(...Object.values(next).filter((one) => one !== undefined));
    }
  }
}
