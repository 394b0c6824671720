interface AskingPage {
  readonly method: string;
  readonly host: string;
  readonly origin: string | undefined;
  /** What browsers say of who asks: `same-origin`, `cross-site` … */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
}

type OriginVerdict =
  /** No page, or one of ours. */
  | { readonly type: 'own' }
  /** A page of another origin that was allowed: it may read the answer. */
  | { readonly type: 'allowed'; readonly origin: string }
  | { readonly type: 'foreign'; readonly origin: string };

/**
 * Who asks, by what its browser says. Programs say nothing. Another port of this machine is another origin, too: what
 * runs there is somebody else's page.
 */
export function judgeOrigin(page: AskingPage, allowedOrigins: readonly string[]): OriginVerdict {
  const { origin, host, fetchSite, fetchMode } = page;
  if (origin !== undefined) {
    if (allowedOrigins.includes(origin)) return { type: 'allowed', origin };
    const isOwn = origin === `http://${host}` || origin === `https://${host}`;
    return isOwn ? { type: 'own' } : { type: 'foreign', origin };
  }
  // Without an origin: links that somebody follows are harmless, what a page loads by itself is not.
  const isLink = fetchMode === 'navigate' && (page.method === 'GET' || page.method === 'HEAD');
  const isForeign = fetchSite === 'cross-site' || fetchSite === 'same-site';
  return isForeign && !isLink ? { type: 'foreign', origin: fetchSite } : { type: 'own' };
}
