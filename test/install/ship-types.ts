import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const specifier = "'@throughline/protocol/types'";

/**
 * The client as it is published, in a folder: with the types of the contract in it, which are those of
 * `packages/protocol`. Whoever installs it installs nothing else, and the compiler finds all it says.
 */
export function stageClient(root: string, folder: string): string {
  const from = join(root, 'packages/client');
  const staged = join(folder, 'staged-client');
  mkdirSync(staged, { recursive: true });
  for (const name of ['dist', 'package.json', 'README.md', 'LICENSE'])
    cpSync(join(from, name), join(staged, name), { recursive: true });
  const types = join(root, 'packages/protocol/dist/types');
  for (const name of readdirSync(types).filter((file) => file.endsWith('.d.ts')))
    cpSync(join(types, name), join(staged, 'dist/contract', name));
  pointAtTypes(join(staged, 'dist'), './contract/index.js');
  return staged;
}

/** @param target the types, as files of this folder reach them */
function pointAtTypes(folder: string, target: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) pointAtTypes(path, `../${target.replace(/^\.\//, '')}`);
    else if (entry.name.endsWith('.d.ts'))
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(specifier, `'${target}'`));
  }
}
