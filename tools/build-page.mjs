// Builds the page of the server, unless nothing that it is made of is newer than what is built.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'packages', 'web');
const built = join(page, 'dist', 'index.html');

/** What the page is made of: its own files, and the packages whose sources go into it. */
const sources = [
  'package-lock.json',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/vite.config.ts',
  'packages/web/public',
  ...['web', 'client', 'core', 'importers', 'replay'].map((name) => `packages/${name}/src`),
].map((path) => join(root, path));

function newestMs(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

const isCurrent = existsSync(built) && statSync(built).mtimeMs > Math.max(...sources.map(newestMs));
if (!isCurrent) {
  // A test that builds says `test`, and would leave a page behind that is made for whoever develops it.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ configFile: join(page, 'vite.config.ts'), logLevel: 'warn' });
}
