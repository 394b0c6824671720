import { hostname } from 'node:os';
import { isIP } from 'node:net';
import { isLoopback } from '../server-options.ts';
import type { ServerSetup } from '../server-options.ts';

/**
 * Whether a request that is addressed to this `Host` is one for us. A page of another site can give its own name our
 * address (DNS rebinding): the browser then takes us for that site, and only the name tells.
 */
export function hostCheck({
  host,
  allowedHosts,
}: Pick<ServerSetup, 'host' | 'allowedHosts'>): (header: string | undefined) => boolean {
  const names = new Set([...allowedHosts, host].map((name) => bare(name.toLowerCase())));
  const isEverywhere = names.has('0.0.0.0') || names.has('::');
  const isOwn = isLoopback(host) || isEverywhere ? ownNames(isEverywhere) : (): boolean => false;
  return (header) => {
    const name = hostNameOf(header);
    return name !== undefined && (names.has(name) || isOwn(name));
  };
}

/** An address in digits cannot be given to another site; a name can. */
function ownNames(isEverywhere: boolean): (name: string) => boolean {
  const own = hostname().toLowerCase();
  return (name) => isLoopback(name) || (isEverywhere && (name === own || isIP(name) !== 0));
}

/** The name in a `Host` header, without port and brackets; `undefined` where there is none. */
function hostNameOf(header: string | undefined): string | undefined {
  if (header === undefined || !/^[\w.:[\]-]{1,255}$/.test(header)) return undefined;
  const url = URL.parse(`http://${header}`);
  return url ? bare(url.hostname.toLowerCase()) : undefined;
}

function bare(name: string): string {
  return name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
