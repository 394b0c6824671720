/**
 * Where a request to a route of the proxy that leads to the agent is answered: `/proxy/<name>/v1/…` is the server's own
 * `/v1/…`, and any other address is what it is.
 */
export function agentAddress(names: readonly string[]): (url: string) => string {
  const known = new Set(names);
  if (known.size === 0) return (url) => url;
  return (url) => {
    const [, name = '', own = ''] = /^\/proxy\/([^/?]+)(\/v1(?:[/?].*)?)$/s.exec(url) ?? [];
    return known.has(name) ? own : url;
  };
}
