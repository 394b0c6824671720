const mostEntries = 1_000;

/** In which manner the newest sessions were asked. It can be forgotten: the next request is then taken for a turn. */
export class KnownManners {
  readonly #manners = new Map<string, string>();

  isOther(sessionId: string, manner: string): boolean {
    const known = this.#manners.get(sessionId);
    return known !== undefined && known !== manner;
  }

  /** The one that was asked last stands last. */
  keep(sessionId: string, manner: string): void {
    this.#manners.delete(sessionId);
    this.#manners.set(sessionId, manner);
    const [oldest] = this.#manners.keys();
    if (this.#manners.size > mostEntries && oldest !== undefined) this.#manners.delete(oldest);
  }
}
