import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isDeepRun } from '@throughline/testkit';
import { delimiter, dirname, join } from 'node:path';
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
  add('tools/build-page.mjs', '');
  copyFileSync(join(tools, '..', 'throughline'), join(root, 'throughline'));
  chmodSync(root, 0o755);
  return root;
}

/** Nobody: whoever may write everywhere is asked to be somebody else. */
const stranger = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function run(
  root: string,
  words: readonly string[] = ['throughline', 'inspect', 'x'],
): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const args = [join(root, 'tools', 'bootstrap.mjs'), ...words];
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

/** A build that writes down that it was called, and leaves of each package what a build leaves. */
const toldBuild = `
  const { appendFileSync, mkdirSync, readdirSync, writeFileSync } = require('node:fs');
  appendFileSync('builds.txt', 'built\\n');
  for (const name of readdirSync('packages')) {
    mkdirSync('packages/' + name + '/dist', { recursive: true });
    writeFileSync('packages/' + name + '/dist/tsconfig.tsbuildinfo', '');
  }
`;

/** A clone with a source, as a build of it leaves it. */
function sourceClone(): string {
  const root = clone(toldBuild);
  const cli = join(root, 'packages', 'cli');
  mkdirSync(join(cli, 'src', 'chat'), { recursive: true });
  mkdirSync(join(root, 'tools', 'node'));
  writeFileSync(join(root, 'tools', 'node', 'package.json'), '{}');
  writeFileSync(join(cli, 'src', 'main.ts'), '1');
  writeFileSync(join(cli, 'src', 'chat', 'old.ts'), '1');
  writeFileSync(join(cli, 'package.json'), '{}');
  writeFileSync(join(cli, 'tsconfig.json'), '{}');
  writeFileSync(join(cli, 'dist', 'tsconfig.tsbuildinfo'), '');
  return root;
}

function start(root: string, as: object = {}): ReturnType<typeof run> {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path };
  const { status, stdout, stderr } = spawnSync('sh', [join(root, 'throughline'), 'inspect', 'x'], {
    ...as,
    cwd: '/',
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const good = { status: 0, stdout: 'it runs inspect x\n', stderr: '' };
const buildsOf = (root: string): number => {
  const file = join(root, 'builds.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

describe.skipIf(process.platform === 'win32')('the wrapper', () => {
  it('looks once per build, not at every start', () => {
    const root = sourceClone();
    expect([start(root), start(root), start(root)]).toEqual([good, good, good]);
    expect(buildsOf(root)).toBe(1);
    expect(readdirSync(join(root, 'tools')).filter((name) => name.startsWith('.'))).toEqual(['.built']);
  });

  const cli = (root: string, ...path: readonly string[]): string => join(root, 'packages', 'cli', ...path);
  const changes: readonly (readonly [string, (root: string) => void])[] = [
    ['a source is edited', (root) => appendFileSync(cli(root, 'src', 'main.ts'), '2')],
    [
      'a source is put back as it was long ago',
      (root) => {
        appendFileSync(cli(root, 'src', 'main.ts'), '2');
        utimesSync(cli(root, 'src', 'main.ts'), 1_000_000, 1_000_000);
      },
    ],
    ['a source is new', (root) => writeFileSync(cli(root, 'src', 'chat', 'new.ts'), '1')],
    ['a source is gone', (root) => rmSync(cli(root, 'src', 'chat', 'old.ts'))],
    ['a manifest is edited', (root) => appendFileSync(cli(root, 'package.json'), ' ')],
    [
      'a package is new',
      (root) => {
        mkdirSync(join(root, 'packages', 'other'));
        writeFileSync(join(root, 'packages', 'other', 'tsconfig.json'), '{}');
      },
    ],
    ['what was built is gone', (root) => rmSync(cli(root, 'dist', 'tsconfig.tsbuildinfo'))],
    ['the launcher is edited', (root) => appendFileSync(join(root, 'tools', 'jobs.mjs'), '\n')],
    [
      'it was built on another machine',
      (root) => {
        const stamp = join(root, 'tools', '.built');
        writeFileSync(stamp, readFileSync(stamp, 'utf8').replace(/^.*/, 'Linux elsewhere riscv64'));
      },
    ],
  ];
  it('builds again when a source, a manifest or the launcher is another one, or what was built is gone or from elsewhere', () => {
    const root = sourceClone();
    start(root);
    const tried = isDeepRun ? changes : changes.filter((_, index) => index % 3 === 0);
    for (const [index, [name, change]] of tried.entries()) {
      change(root);
      // Once: what comes next finds a clone in which nothing is to be built.
      expect([name, start(root), start(root), buildsOf(root)]).toEqual([name, good, good, index + 2]);
    }
  });

  it('builds again after a build that failed', () => {
    const root = sourceClone();
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    writeFileSync(compiler, 'process.exit(2)');
    expect(start(root).status).toBe(2);
    writeFileSync(compiler, toldBuild);
    expect([start(root), buildsOf(root)]).toEqual([good, 1]);
  });

  it('looks at nothing where nobody may write and everything is built', () => {
    const root = sourceClone();
    start(root);
    lock(root);
    expect([start(root, stranger), buildsOf(root)]).toEqual([good, 1]);
  });

  it('waits for nobody, and says nothing of it, when nothing is built', () => {
    const root = sourceClone();
    start(root);
    writeFileSync(join(root, 'tools', '.lock'), String(process.pid));
    expect(start(root)).toEqual(good);
  });

  it('takes a lock for a leftover when nobody refreshes it, whoever has the id of its owner now', () => {
    const root = sourceClone();
    writeFileSync(join(root, 'tools', '.lock'), String(process.pid));
    utimesSync(join(root, 'tools', '.lock'), 1_000_000, 1_000_000);
    expect(start(root)).toEqual(good);
  });
});

describe('npm test', () => {
  const failedTypes = { name: 'test types', output: 'a bad type\n', isFailed: true };

  function cloneWithTests(tests: string): string {
    const root = clone(
      `if (!process.argv.includes('-b')) { console.log('a bad type'); process.exitCode = 1; }`,
    );
    const scripts = {
      'oxlint/bin/oxlint': 'console.error("fine")',
      'oxfmt/bin/oxfmt': '',
      'vitest/vitest.mjs': tests,
    };
    for (const [path, text] of Object.entries(scripts)) {
      mkdirSync(dirname(join(root, 'node_modules', path)), { recursive: true });
      writeFileSync(join(root, 'node_modules', path), text);
    }
    return root;
  }

  it('tells the tests what became of the checks beside them, and fails with these', () => {
    const told = 'console.log(JSON.stringify(checks)); process.send("told", () => process.disconnect());';
    const { status, stdout } = run(cloneWithTests(`process.once('message', ({ checks }) => { ${told} });`), [
      'test',
    ]);
    expect(JSON.parse(stdout)).toEqual([
      failedTypes,
      { name: 'lint', output: 'fine\n', isFailed: false },
      { name: 'format', output: '', isFailed: false },
    ]);
    expect(status).toBe(1);
  });

  it('tells of failed checks itself where the tests end before they are told', () => {
    expect(run(cloneWithTests('console.log("0 passed")'), ['test'])).toMatchObject({
      status: 1,
      stdout: '0 passed\na bad type\n',
    });
  });
});
