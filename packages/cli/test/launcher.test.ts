import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { temporaryFolder } from './support.ts';

const tools = fileURLToPath(new URL('../../../tools', import.meta.url));

/** A clone with its packages installed, whose build and command line are scripts of one line. */
function clone(build = ''): string {
  const root = temporaryFolder();
  const add = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const lockfile = '{}';
  const digest = createHash('sha256').update(lockfile).digest('hex');
  add('package-lock.json', lockfile);
  add('node_modules/.throughline-stamp', `${digest} ${process.platform}-${process.arch}\n`);
  add('node_modules/typescript/bin/tsc', build);
  add('packages/cli/dist/main.js', 'console.log("it runs", process.argv.slice(2).join(" "))');
  mkdirSync(join(root, 'tools'));
  for (const name of ['bootstrap.mjs', 'jobs.mjs'])
    copyFileSync(join(tools, name), join(root, 'tools', name));
  chmodSync(root, 0o755);
  return root;
}

/** Nobody: whoever may write everywhere is asked to be somebody else. */
const stranger = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function run(root: string): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const args = [join(root, 'tools', 'bootstrap.mjs'), 'throughline', 'inspect', 'x'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...stranger,
    cwd: '/',
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function lock(root: string): void {
  for (const folder of ['tools', 'node_modules', '.']) chmodSync(join(root, folder), 0o555);
  onTestFinished(() => {
    for (const folder of ['.', 'tools', 'node_modules']) chmodSync(join(root, folder), 0o755);
  });
}

describe.skipIf(process.platform === 'win32')('the launcher in a clone that nobody may write to', () => {
  it('runs what is installed and built', () => {
    const root = clone();
    lock(root);
    expect(run(root)).toEqual({ status: 0, stdout: 'it runs inspect x\n', stderr: '' });
  });

  it('says so when something has to be installed', () => {
    const root = clone();
    rmSync(join(root, 'node_modules', '.throughline-stamp'));
    lock(root);
    expect(run(root)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^throughline: packages must be installed, and .+ cannot be written to: .+\n$/,
      ) as string,
    });
  });

  it('says so when something has to be built', () => {
    const root = clone('process.exit(2)');
    lock(root);
    expect(run(root)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^throughline: what is built is not up to date, and .+\n$/) as string,
    });
  });

  it('leaves no lock behind where it may write', () => {
    const root = clone();
    const args = [join(root, 'tools', 'bootstrap.mjs'), 'throughline'];
    expect(spawnSync(process.execPath, args, { cwd: '/' }).status).toBe(0);
    expect(() => readFileSync(join(root, 'tools', '.lock'))).toThrow('ENOENT');
  });
});
