/** How far somebody has read who follows events, and how that is said to the server. */
export interface FollowPlace {
  /** Something else after each progress. */
  readonly mark: string;
  /** What a request says to go on from there. */
  ask(): {
    readonly lastEventId?: string;
    readonly query: Readonly<Record<string, string | number | undefined>>;
  };
  /** Whether an event is a new one; from then on it was seen. */
  take(told: { readonly seq?: number }): boolean;
  /** The last id that came on a connection. */
  seen(id: string): void;
}

/** In one session, whose events have numbers. */
export function sessionPlace({
  after = 0,
  until,
}: {
  readonly after?: number;
  readonly until?: string;
}): FollowPlace {
  let last = after;
  return {
    get mark() {
      return String(last);
    },
    ask: () =>
      last === after ? { query: { after, until } } : { lastEventId: String(last), query: { until } },
    take({ seq }) {
      // One without a number is none of ours.
      if (seq === undefined || !(seq > last)) return false;
      last = seq;
      return true;
    },
    seen: () => {},
  };
}

/** In the events of all sessions: only the server knows what its ids mean. */
export function allPlace({ after = '' }: { readonly after?: string }): FollowPlace {
  let last = after;
  return {
    get mark() {
      return last;
    },
    ask: () => ({ query: {}, ...(last !== '' && { lastEventId: last }) }),
    take: () => true,
    seen(id) {
      if (id !== '') last = id;
    },
  };
}
