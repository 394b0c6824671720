export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; `null` on the last one. */
  readonly next: string | null;
}
