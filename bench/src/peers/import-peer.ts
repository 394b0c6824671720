import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peersFolder } from './install-peers.ts';
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';

const scheme = 'bench-peer:';
let isHooked = false;

/** Imports a package from `bench/peers`, as published. */
export async function importPeer(specifier: string): Promise<Record<string, unknown>> {
  resolveAsPublished();
  return (await import(`${scheme}${specifier}`)) as Record<string, unknown>;
}

/**
 * Our own packages are run from source with the condition `source`. Some peers publish one, too, with files that Node
 * does not run from `node_modules`: among peers the condition does not count.
 */
function resolveAsPublished(): void {
  if (isHooked) return;
  isHooked = true;
  const rootUrl = pathToFileURL(join(realpathSync(peersFolder), 'package.json')).href;
  const modulesUrl = new URL('node_modules/', rootUrl).href;
  registerHooks({
    resolve(specifier, context, next) {
      const isRoot = specifier.startsWith(scheme);
      if (!isRoot && context.parentURL?.startsWith(modulesUrl) !== true) return next(specifier, context);
      return next(isRoot ? specifier.slice(scheme.length) : specifier, {
        ...context,
        parentURL: isRoot ? rootUrl : context.parentURL,
        conditions: context.conditions.filter((condition) => condition !== 'source'),
      });
    },
  });
}
