/**
 * `npm run pack [FOLDER]`: builds everything anew and writes a tarball of each package, as it would lie on npm, with
 * what pnpm needs to take them from there. They are what is published: `npm publish FILE`.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packAll, publishedFolders, root } from './pack.ts';

const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? join(root, 'tarballs'));
// What was built of a file that is gone would be packed, too.
for (const name of publishedFolders()) {
  rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
}
for (const script of [
  [join(root, 'node_modules/typescript/bin/tsc'), '-b'],
  [join(root, 'tools/build-page.mjs')],
])
  execFileSync(process.execPath, script, { cwd: root, stdio: 'inherit' });
rmSync(folder, { recursive: true, force: true });
const tarballs = await packAll(folder);
const overrides = tarballs.map(({ name, path }) => `  '${name}': 'file:${path}'\n`).join('');
writeFileSync(join(folder, 'pnpm-workspace.yaml'), `overrides:\n${overrides}`);
for (const { name, sizeBytes, unpackedBytes, files } of tarballs) {
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`.padStart(8);
  console.log(
    `${name.padEnd(26)} ${kilobytes(sizeBytes)}, unpacked ${kilobytes(unpackedBytes)}, ${files.length} files`,
  );
}
console.log(`in ${folder}`);
