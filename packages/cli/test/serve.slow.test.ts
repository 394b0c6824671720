import { describe, expect, it, onTestFinished } from 'vitest';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { captureCli, temporaryFolder, writeInto } from './support.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCommandLine } from '../src/command-line.ts';

interface Served {
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal and waits for the end; the exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** `throughline …` in a folder, with nothing of ours in its environment but what is given. */
function start(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(
    process.execPath,
    ['--conditions=throughline-source', '--disable-warning=ExperimentalWarning', program, ...args],
    {
      cwd: folder,
      env: { PATH, TMPDIR, NODE_COMPILE_CACHE, HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, stdout: () => out, stderr: () => err };
}

async function serve(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const { child, ended, stdout, stderr } = start(folder, ['serve', '--port', '0', ...args], env);
  while (!stdout().includes('Ctrl-C') && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), ended]);
  const url = / serves at (\S+)/.exec(stdout())?.[1];
  if (url === undefined) throw new Error(stderr());
  return {
    url,
    stdout,
    stderr,
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

/** In this process, where nothing has to be loaded: for what ends by itself. */
async function runHere(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cli = captureCli({
    compose: () => Promise.resolve(realComposition),
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    workingFolder: folder,
  });
  const code = await runCommandLine(args, cli, version);
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly message: string;
}

async function doctorHere(
  folder: string,
  port: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Finding[]> {
  const { stdout } = await runHere(folder, ['doctor', '--json'], { THROUGHLINE_SERVER_PORT: port, ...env });
  return (JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings;
}

async function ask({ url }: Served, content: string): Promise<{ reply: string; sessionId: string }> {
  const answer = await fetch(`${url}/api/message?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
  return (await answer.json()) as { reply: string; sessionId: string };
}

/** What it has logged, without what became of single runs and requests. */
const logOf = ({ stderr }: Served): readonly string[] =>
  stderr()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
    .filter((msg) => !/^A (run|request) /.test(msg));

const startAndEnd = ['The server is ready', 'Stopping', 'Stopped'];

describe('throughline serve', () => {
  it('says where it is and what to try, answers from the demo model, ends by itself at a signal, and has the session after a restart', async () => {
    const folder = temporaryFolder();
    const first = await serve(folder);
    expect(first.stdout()).toMatch(/^ {2}model +demo/m);
    expect(first.stdout()).toContain(`Try:\n  ${first.url} in a browser\n`);
    expect(first.stdout()).toContain(`curl -s '${first.url}/api/message?wait=true'`);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    const { reply, sessionId } = await ask(first, 'help');
    expect(reply).toContain('demo model');
    expect(await first.end('SIGINT')).toBe(0);
    expect(logOf(first)).toEqual(startAndEnd);

    const second = await serve(folder);
    const told = await fetch(`${second.url}/api/sessions/${sessionId}`);
    expect(await told.json()).toMatchObject({ id: sessionId, messageCount: 2 });
    expect(await second.end('SIGTERM')).toBe(0);
    expect(logOf(second)).toEqual(startAndEnd);
  });

  it('makes sessions in its workspace, and names them, so that the chat goes on with them; says that its port is taken, and doctor says by whom', async () => {
    const folder = temporaryFolder();
    const served = await serve(folder);
    const { sessionId } = await ask(served, 'Tell me of the sea. Then of the hills.');
    const listed = async (): Promise<unknown> => {
      const query = new URLSearchParams({ folder: realpathSync(folder) });
      const found = await fetch(`${served.url}/api/sessions?${query.toString()}`);
      return ((await found.json()) as { readonly items: unknown }).items;
    };
    await expect.poll(listed).toMatchObject([{ id: sessionId, title: 'Tell me of the sea' }]);

    const { port } = new URL(served.url);
    const again = await runHere(folder, ['serve', '--port', port]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('another program listens there already');
    expect((await doctorHere(folder, port)).find(({ check }) => check === 'port')?.message).toContain(
      'a server of throughline runs there',
    );
    await served.end('SIGTERM');
  });

  it('knows its owners by tokens of the environment, gives them their quota, and tells none of them', async () => {
    const folder = temporaryFolder();
    writeInto(
      folder,
      'throughline.yaml',
      'server: { tokens: { ann: { tokenEnv: ANN_TOKEN, maxSessions: 0 } } }\n',
    );
    const token = 'a-token-of-sixteen-letters';
    const served = await serve(folder, ['--trust'], { ANN_TOKEN: token });
    expect((await fetch(`${served.url}/api/sessions`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await fetch(`${served.url}/api/sessions`, { headers })).status).toBe(200);
    const more = await fetch(`${served.url}/api/sessions`, { method: 'POST', headers, body: '{}' });
    expect([more.status, await more.json()]).toMatchObject([429, { code: 'quota-exceeded' }]);
    await served.end('SIGTERM');
    expect(served.stdout() + served.stderr()).not.toContain(token);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['an address that others reach, without a token', ['--host', '0.0.0.0'], /server\.tokenEnv/],
    ['a variable that holds no token', ['--token-env', 'NO_TOKEN'], /The variable NO_TOKEN, .* is not set/],
    ['a port that is none', ['--port', '70000'], /--port/],
  ])('does not begin with %s', async (_, args, reason) => {
    const { code, stderr, stdout } = await runHere(temporaryFolder(), ['serve', ...args]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(reason);
    expect(stdout).toBe('');
  });

  it('is looked at by doctor: whether it is ready, of which version, and whether it takes the token', async () => {
    const folder = temporaryFolder();
    const token = 'a-token-of-sixteen-letters';
    const served = await serve(folder, ['--token-env', 'OWN_TOKEN'], { OWN_TOKEN: token });
    const { port } = new URL(served.url);
    const tell = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const findings = await doctorHere(folder, port, env);
      return findings
        .filter(({ check }) => check === 'server')
        .map(({ state, message }) => `${state}: ${message}`);
    };
    expect(await tell({ THROUGHLINE_SERVER_TOKEN_ENV: 'OWN_TOKEN', OWN_TOKEN: token })).toEqual([
      'ok: it is ready.',
      expect.stringMatching(/^ok: it is of this version, \d/),
      'ok: it takes the token in OWN_TOKEN.',
    ]);
    expect(
      await tell({ THROUGHLINE_SERVER_TOKEN_ENV: 'OWN_TOKEN', OWN_TOKEN: 'another-of-sixteen-letters' }),
    ).toEqual(['ok: it is ready.', 'fail: it does not take the token in OWN_TOKEN (401).']);
    expect(await tell({})).toEqual([
      'ok: it is ready.',
      'fail: it asks for a token, and server.tokenEnv names none here.',
    ]);
    await served.end('SIGTERM');
  });
});
