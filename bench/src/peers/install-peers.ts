import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

/** Where the packages to compare with live. They are no part of the workspace: `npm test` never installs them. */
export const peersFolder = join(import.meta.dirname, '../../peers');

/** Installs the peers by their lockfile unless they are there; returns a sentence when that did not work. */
export function installPeers(): string | undefined {
  const stamp = join(peersFolder, 'node_modules', '.throughline-stamp');
  const lockfile = readFileSync(join(peersFolder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lockfile).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  process.stderr.write('throughline: installing the packages to compare with (bench/peers) …\n');
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--workspaces=false',
  ];
  const script = process.env['npm_execpath'];
  const isScript = script !== undefined && /\.c?js$/.test(script);
  const end = spawnSync(isScript ? process.execPath : 'npm', isScript ? [script, ...args] : args, {
    cwd: peersFolder,
    env: withoutOuterNpm(process.env),
    encoding: 'utf8',
  });
  if (end.status !== 0) {
    const reason = end.error?.message ?? end.stderr.trim().split('\n')[0] ?? `code ${String(end.status)}`;
    return `The peers could not be installed (${reason}); they are left out.`;
  }
  writeFileSync(stamp, wanted);
  return undefined;
}

/** Under `npm run`, npm's variables describe the outer package. */
function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_(?:package|lifecycle)_|^npm_config_local_prefix$/i.test(name),
    ),
  );
}
