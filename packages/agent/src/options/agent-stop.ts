/** How an agent comes to its end without taking anything from its sessions: what runs is left for whoever goes on with it. */
export class AgentStop {
  /** Sessions whose runs were left before their end. */
  readonly left = new Set<string>();
  readonly #wanted = new AbortController();
  readonly #overdue = new AbortController();

  /** Aborted: nothing begins any more, and runs leave their sessions at the next step. */
  get wanted(): AbortSignal {
    return this.#wanted.signal;
  }

  /** Aborted: whatever is still busy leaves at once. */
  get overdue(): AbortSignal {
    return this.#overdue.signal;
  }

  ask(): void {
    this.#wanted.abort();
  }

  insist(): void {
    this.#wanted.abort();
    this.#overdue.abort();
  }
}
