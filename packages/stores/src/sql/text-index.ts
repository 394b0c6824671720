import type { SessionRow, Tx } from './schema.ts';

/** Finds texts by what is in them: the one thing that databases do each in their own words. */
export interface TextIndex {
  /** The comparison that takes no notice of the case of ASCII letters. */
  readonly anyCaseLike: 'like' | 'ilike';
  add(tx: Tx, key: number, text: string): Promise<void>;
  /** Takes out all texts whose key is in `[first, end)`. */
  removeRange(tx: Tx, first: number, end: number): Promise<void>;
  /**
   * Keys in `[first, end)` of texts that contain `query`, newest first; `undefined` where the index has no answer to a
   * query so short.
   */
  find(tx: Tx, query: string, range: KeyRange): Promise<readonly number[] | undefined>;
}

export interface KeyRange {
  readonly first: number;
  readonly end: number;
  readonly limit: number;
}

/** Texts of one session lie side by side in the index, so that a search reads no others: 2²³ sessions of 2³⁰ texts. */
const textsPerSession = 2 ** 30;

/** The keys of all texts of a session; the newest has the greatest. */
export function keysOf(session: Pick<SessionRow, 'key'>): { readonly first: number; readonly end: number } {
  return { first: session.key * textsPerSession, end: (session.key + 1) * textsPerSession };
}
