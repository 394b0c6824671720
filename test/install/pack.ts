import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stageClient } from './ship-types.ts';
import { tmpdir } from 'node:os';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');

/** The packages that people install, by their folder in `packages/`. */
export function publishedFolders(): string[] {
  return readdirSync(join(root, 'packages')).filter((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
      private?: boolean;
    };
    return manifest.private !== true;
  });
}

/** One file as it would lie on npm. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly unpackedBytes: number;
  readonly files: readonly string[];
}

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** npm, run by the Node that runs us; its own name where nobody says where it is. */
export function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const script = process.env['npm_execpath'];
  const [program, before] = script?.endsWith('.js') === true ? [process.execPath, [script]] : ['npm', []];
  return run(program, [...before, ...args], { cwd, maxBuffer: 64_000_000, env: plainEnvironment() });
}

/** Under `npm run`, npm's variables describe the call that we are in; another project must not see them. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_local_prefix)|^(INIT_CWD|NODE_OPTIONS)$/i.test(name),
  );
  return Object.fromEntries(entries);
}

/** Packs what is built, each published package into a file of its own. */
export async function packAll(folder: string): Promise<Tarball[]> {
  mkdirSync(folder, { recursive: true });
  const others = publishedFolders().filter((name) => name !== 'client');
  const workspaces = others.flatMap((name) => ['-w', `packages/${name}`]);
  const staging = mkdtempSync(join(tmpdir(), 'throughline-staged-'));
  const pack = async (...args: readonly string[]): Promise<readonly Packed[]> => {
    const { stdout } = await npm(['pack', '--json', '--pack-destination', folder, ...args], root);
    return Object.values(JSON.parse(stdout) as Record<string, Packed>);
  };
  const packed = [...(await pack(...workspaces)), ...(await pack(stageClient(root, staging)))];
  rmSync(staging, { recursive: true, force: true });
  return packed.map(({ name, version, filename, size, unpackedSize, files }) => ({
    name,
    version,
    path: join(folder, filename.replace('@', '').replace('/', '-')),
    sizeBytes: size,
    unpackedBytes: unpackedSize,
    files: files.map(({ path }) => path),
  }));
}
