/** A JSON value as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Where a value lies inside a JSON value: object keys and array positions from the root. `[]` is the root itself. */
export type Path = readonly (string | number)[];

/** One edit of a wire message. Edits of one list never overlap; a removal inside an array closes the gap. */
export type WireEdit =
  | { readonly at: Path; readonly set: Json }
  | { readonly at: Path; readonly remove: true };
