/** A JSON value as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A part of a long list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** What `cursor` of the next page is; `null` on the last one. */
  readonly next: string | null;
}
