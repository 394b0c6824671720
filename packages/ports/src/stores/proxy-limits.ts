/** Where the size of a window is known from: an error or a cut, a question to the upstream, or what its answers say. */
export type ProxyLimitSource = 'learned' | 'discovered' | 'told';

/** A window in tokens as one source knows it, and when that was stored. */
export interface ProxyLimit {
  readonly windowTokens: number;
  readonly atMs: number;
}

/** What is known of a window, each source by itself. They are facts about an upstream, and belong to no scope. */
export type KnownLimits = { readonly [Source in ProxyLimitSource]?: ProxyLimit };

/** The windows of upstream models, by address and name of the model. */
export interface ProxyLimits {
  read(address: string, model: string): Promise<KnownLimits>;
  /**
   * Stores what a source says, in place of what it said before; only of what was learned the least stays, with its
   * time. @returns all that is known then
   */
  keep(
    address: string,
    model: string,
    limit: { readonly source: ProxyLimitSource; readonly windowTokens: number },
  ): Promise<KnownLimits>;
}
