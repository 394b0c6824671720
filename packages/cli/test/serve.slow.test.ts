import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { temporaryFolder, writeInto } from './support.ts';

interface Served {
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal and waits for the end; the exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

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

describe('throughline serve', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'says where it is, what is configured and what to try, and ends by itself on %s',
    async (signal) => {
      const folder = temporaryFolder();
      const served = await serve(folder);
      expect(served.stdout()).toMatch(/^ {2}model +demo/m);
      expect(served.stdout()).toContain(`curl -s '${served.url}/api/message?wait=true'`);
      expect((await fetch(`${served.url}/health`)).status).toBe(200);
      expect(await served.end(signal)).toBe(0);
      const lines = served.stderr().trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual([
        'The server is ready',
        'Stopping',
        'Stopped',
      ]);
    },
  );

  it('answers from the demo model, and has the session after a restart', async () => {
    const folder = temporaryFolder();
    const first = await serve(folder);
    const answer = await fetch(`${first.url}/api/message?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"help"}',
    });
    const { reply, sessionId } = (await answer.json()) as { reply: string; sessionId: string };
    expect(reply).toContain('demo model');
    await first.end('SIGTERM');
    const second = await serve(folder);
    const told = await fetch(`${second.url}/api/sessions/${sessionId}`);
    expect(await told.json()).toMatchObject({ id: sessionId, messageCount: 2 });
    await second.end('SIGTERM');
  });

  it('makes sessions in its workspace, and names them, so that the chat goes on with them', async () => {
    const folder = temporaryFolder();
    const served = await serve(folder);
    const answer = await fetch(`${served.url}/api/message?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"Tell me of the sea. Then of the hills."}',
    });
    const { sessionId } = (await answer.json()) as { sessionId: string };
    const { id, title } = await vi.waitUntil(async () => {
      const found = await fetch(
        `${served.url}/api/sessions?folder=${encodeURIComponent(realpathSync(folder))}`,
      );
      const { items } = (await found.json()) as {
        items: readonly { readonly id: string; readonly title: string | null }[];
      };
      return items.find((session) => session.title !== null);
    });
    expect([id, title]).toEqual([sessionId, 'Tell me of the sea']);
    await served.end('SIGTERM');
  });

  it('knows its owners by tokens of the environment, and tells none of them', async () => {
    const folder = temporaryFolder();
    writeInto(folder, 'throughline.yaml', 'server: { tokens: { ann: { tokenEnv: ANN_TOKEN } } }\n');
    const token = 'a-token-of-sixteen-letters';
    const served = await serve(folder, ['--trust'], { ANN_TOKEN: token });
    expect((await fetch(`${served.url}/api/sessions`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${served.url}/api/sessions`, { headers })).status).toBe(200);
    await served.end('SIGTERM');
    expect(served.stdout() + served.stderr()).not.toContain(token);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['an address that others reach, without a token', ['--host', '0.0.0.0'], /server\.tokenEnv/],
    ['a variable that holds no token', ['--token-env', 'NO_TOKEN'], /The variable NO_TOKEN, .* is not set/],
    ['a port that is none', ['--port', '70000'], /--port/],
  ])('does not begin with %s', async (_, args, reason) => {
    const { ended, stderr, stdout } = start(temporaryFolder(), ['serve', ...args]);
    expect(await ended).toBeGreaterThan(0);
    expect(stderr()).toMatch(reason);
    expect(stdout()).toBe('');
  });

  it('says that its port is taken, and doctor says by whom', async () => {
    const folder = temporaryFolder();
    const served = await serve(folder);
    const { port } = new URL(served.url);
    const again = start(folder, ['serve', '--port', port]);
    expect(await again.ended).toBe(1);
    expect(again.stderr()).toContain('another program listens there already');
    const doctor = start(folder, ['doctor', '--json'], { THROUGHLINE_SERVER_PORT: port });
    await doctor.ended;
    const { findings } = JSON.parse(doctor.stdout()) as { findings: { check: string; message: string }[] };
    expect(findings.find(({ check }) => check === 'port')?.message).toContain(
      'a server of throughline runs there',
    );
    await served.end('SIGTERM');
  });

  it('is looked at by doctor: whether it is ready, of which version, and whether it takes the token', async () => {
    const folder = temporaryFolder();
    const token = 'a-token-of-sixteen-letters';
    const served = await serve(folder, ['--token-env', 'OWN_TOKEN'], { OWN_TOKEN: token });
    const { port } = new URL(served.url);
    const tell = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const doctor = start(folder, ['doctor', '--json'], { THROUGHLINE_SERVER_PORT: port, ...env });
      await doctor.ended;
      const { findings } = JSON.parse(doctor.stdout()) as {
        findings: { check: string; state: string; message: string }[];
      };
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
