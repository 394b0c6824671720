/**
 * A `fetch` that says what is at an address where no MCP server is. No redirect is followed: headers with keys would go
 * along.
 */
export const mcpFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  const place = placeOf(new URL(url));
  if (status >= 300 && status < 400 && status !== 304) {
    await response.body?.cancel();
    const target = URL.parse(headers.get('location') ?? '', String(url));
    throw new Error(
      `${place} redirects${target ? ` to ${placeOf(target)}` : ''}, and no redirect is followed`,
    );
  }
  if (response.ok && /^text\/html/i.test(headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    throw new Error(`${place} answers with a web page: no MCP server is there`);
  }
  return response;
};

/** Without what may be secret in it. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
