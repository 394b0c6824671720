import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { homedir, tmpdir } from 'node:os';
import { root } from '../source.ts';
import { stepProgram } from './scripted-work.ts';
import type { CommandLine } from './command-lines.ts';

/** Not in `node_modules`: an installation there takes everything else away. */
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'throughline/clients');
const installMs = 600_000;

/** A client that is there, or why it is not. */
export type Installed =
  | { readonly type: 'ready'; readonly program: string }
  | { readonly type: 'missing'; readonly reason: string };

/** Installs the version that was tried into a folder of its own, once. */
export async function install({ packageName, version, program }: CommandLine): Promise<Installed> {
  const folder = join(cache, `${packageName.replace('/', '+')}@${version}`);
  const path = join(folder, 'node_modules/.bin', program);
  const done = join(folder, 'installed');
  if (existsSync(done)) return { type: 'ready', program: path };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const npm = ['install', '--no-audit', '--no-fund', '--save-exact', `${packageName}@${version}`];
  try {
    await promisify(execFile)('npm', npm, { cwd: folder, timeout: installMs, env: plainEnvironment() });
  } catch (error) {
    const lines = String((error as { stderr?: unknown }).stderr ?? error).split('\n');
    return { type: 'missing', reason: lines.find((line) => /^npm err/i.test(line)) ?? 'npm failed' };
  }
  writeFileSync(done, '');
  return { type: 'ready', program: path };
}

/** What this run of npm and vitest has put into the environment is nothing to a client. */
function plainEnvironment(): Record<string, string> {
  const kept = [
    'PATH',
    'LANG',
    'HOME',
    'TMPDIR',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
  ];
  return Object.fromEntries(
    [...kept, ...kept.map((name) => name.toLowerCase())].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A home of nobody, and a folder to work in. */
export function createProject(): Disposable & { readonly home: string; readonly project: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'throughline-clients-')));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const path of [home, project]) mkdirSync(path);
  writeFileSync(join(project, stepProgram.name), stepProgram.text);
  return {
    home,
    project,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface Run {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a program to its end, and ends what it leaves behind: some start helpers that stay. */
export async function run(program: string, { args, cwd, env, timeoutMs }: Run): Promise<Ended> {
  // A group of its own, so that its children can be ended with it.
  const child = spawn(program, args, {
    cwd,
    env: { ...plainEnvironment(), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.errors += text));
  const endGroup = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  };
  const timer = setTimeout(endGroup, timeoutMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  endGroup();
  return { code, ...said };
}

/** `throughline proxy` in front of an upstream, as a process of its own. */
export async function startProxyProcess(
  upstream: string,
  options: {
    readonly home: string;
    /** Left out: the proxy has to find it out. */ readonly windowTokens?: number;
  },
): Promise<AsyncDisposable & { readonly url: string; readonly log: () => string }> {
  const program = join(root, 'packages/cli/src/main.ts');
  const args = ['--conditions=throughline-source', program, 'proxy', '--json', '--port', '0'];
  args.push('--upstream', upstream);
  if (options.windowTokens !== undefined) args.push('--window', String(options.windowTokens));
  const child = spawn(process.execPath, args, {
    cwd: options.home,
    env: { ...plainEnvironment(), HOME: options.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const closed = once(child, 'close');
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text as string;
    if (output.includes('\n')) break;
  }
  if (!output.includes('\n')) throw new Error(`The proxy did not start: ${log}`);
  const { url } = JSON.parse(output) as { url: string };
  return {
    url,
    log: () => log,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
