/** An object of the wire, of which nothing is known yet. */
export type WireObject = { readonly [key: string]: unknown };

const none: WireObject = {};

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one: fields of what is missing are missing. */
export function objectOf(value: unknown): WireObject {
  return isObject(value) ? value : none;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count, 0 where there is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
