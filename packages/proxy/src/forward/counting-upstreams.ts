// A server can be exchanged for one that counts.
const askAgainMs = 10 * 60_000;

/** Upstreams that have no such request, by address and path; who asks first tells the others. */
export class CountingUpstreams {
  readonly #known = new Map<string, { readonly untilMs: number; readonly counts: Promise<boolean> }>();

  /**
   * Whether the upstream counts. The first to ask finds out with its own request, and the others wait for that; where
   * finding out fails, the next one does.
   */
  async counts(key: string, nowMs: number, find: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(key);
    if (known && nowMs < known.untilMs) return await known.counts.catch(() => true);
    const counts = find();
    this.#known.set(key, { untilMs: nowMs + askAgainMs, counts });
    try {
      return await counts;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }
}
