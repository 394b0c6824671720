/** Marks that move or change from request to request without changing what is said. */
const volatileKeys: ReadonlySet<string> = new Set(['cache_control', 'status']);

// Deeper values count as different: hostile input must not overflow the stack.
const maxDepth = 200;

/** Whether two messages say the same: equal as JSON, cache marks and status aside. */
export function sameMessage(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > maxDepth)
    return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameMessage(item, b[i], depth + 1))
    );
  }
  return sameRecord(a as Record<string, unknown>, b as Record<string, unknown>, depth + 1);
}

function sameRecord(a: Record<string, unknown>, b: Record<string, unknown>, depth: number): boolean {
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => sameMessage(a[key], b[key], depth));
}

function keysOf(record: Record<string, unknown>): string[] {
  return Object.keys(record).filter((key) => record[key] !== undefined && !volatileKeys.has(key));
}
