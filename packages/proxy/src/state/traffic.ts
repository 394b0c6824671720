import type { DialectName } from '../stream/dialect-streams.ts';

/** What went through a route since this process began. */
export interface RouteTraffic {
  /** Questions to a model. */
  readonly requests: number;
  /** Of them, those that went out with a changed context. */
  readonly changed: number;
  /** How often the upstream called one too large. */
  readonly overflows: number;
  /** How often an answer that had reached the end of the window was continued. */
  readonly restarts: number;
  /** How often a model has recalled something through the tool of the route. */
  readonly recalls: number;
  /** In which they came. */
  readonly dialects: readonly DialectName[];
}

type Counts = { -readonly [Name in Exclude<keyof RouteTraffic, 'dialects'>]: number } & {
  readonly dialects: Set<DialectName>;
};

/** Counts what goes through each route. */
export class Traffic {
  readonly #byRoute = new Map<string, Counts>();

  /** A question to a model. */
  asked(route: string, dialect: DialectName): void {
    const counts = this.#of(route);
    counts.requests += 1;
    counts.dialects.add(dialect);
  }

  count(route: string, what: 'changed' | 'overflows' | 'restarts' | 'recalls'): void {
    this.#of(route)[what] += 1;
  }

  of(route: string): RouteTraffic {
    const { dialects, ...counts } = this.#of(route);
    return { ...counts, dialects: [...dialects].toSorted() };
  }

  #of(route: string): Counts {
    const known = this.#byRoute.get(route);
    if (known) return known;
    const counts: Counts = {
      requests: 0,
      changed: 0,
      overflows: 0,
      restarts: 0,
      recalls: 0,
      dialects: new Set(),
    };
    this.#byRoute.set(route, counts);
    return counts;
  }
}
