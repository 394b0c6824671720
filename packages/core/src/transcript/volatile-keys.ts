/**
 * Marks that come and go from request to request without changing what is said. They are marks only on a message
 * itself and on a block of its content: deeper, inside arguments and results, a key of the same name is data.
 */
export const volatileKeys: ReadonlySet<string> = new Set(['cache_control', 'status']);
