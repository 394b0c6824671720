const mostSessions = 1_000;

/**
 * Sessions whose clients have compacted their history themselves. What they send next begins anew; only the name of the
 * session tells from which conversation it comes.
 */
export class CompactedSessions {
  readonly #parents = new Map<string, string>();

  compacted(session: string, conversationId: string): void {
    this.#parents.delete(session);
    this.#parents.set(session, conversationId);
    const [oldest] = this.#parents.keys();
    if (this.#parents.size > mostSessions && oldest !== undefined) this.#parents.delete(oldest);
  }

  /** The conversation that a new one of this session goes on from; told once. */
  takeParent(session: string): string | undefined {
    const parent = this.#parents.get(session);
    this.#parents.delete(session);
    return parent;
  }
}
