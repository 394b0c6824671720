import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool, contextOf, openBench, recordEvents, textOf } from '../../../test/tool-bench.ts';
import { executeCalls } from '../execute-calls.ts';
import { createBashTool, filterEnvironment } from './bash-tool.ts';
import { describeSandbox, detectSandbox } from './sandbox.ts';
import type { AddressInfo } from 'node:net';
import type { Bench } from '../../../test/tool-bench.ts';
import type { SessionAccess, Tool } from '../tool.ts';
import type { Sandbox } from './sandbox.ts';

const none: Sandbox = { type: 'none', reason: 'this is a test' };

function bashIn(bench: Bench, sandbox: Sandbox = none, environment: Record<string, string> = {}): Tool {
  return createBashTool({
    root: bench.root,
    sandbox,
    environment: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  });
}

/** Waits, for as long as a hang would take to tell, until nobody runs with this text in its arguments. */
async function isGone(text: string): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const runs = pids.some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) && pid !== String(process.pid);
      } catch {
        return false;
      }
    });
    if (!runs) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe('bash', () => {
  it('runs in the workspace and gives both outputs, the exit code and the time', async () => {
    const bench = await openBench();
    const result = await callTool(bashIn(bench), { command: 'pwd; echo problem >&2; cat; exit 3' });
    expect(result.text).toMatch(/\[exit code 3, \d+\.\d s\]$/);
    expect(result.text).toContain(`${bench.root}\n`);
    expect(result.text).toContain('problem\n');
    expect(result).toMatchObject({ state: 'error', data: { exitCode: 3, reason: 'exited' } });
    expect((await callTool(bashIn(bench), { command: 'true' })).state).toBe('completed');
  });

  it('keeps secrets out of the environment', async () => {
    const bench = await openBench();
    const secrets = {
      OPENAI_API_KEY: 's1',
      MY_TOKEN: 's2',
      db_password: 's3',
      DB: 'postgres://u:s4@host/x',
      PLAIN: 's5',
      LC_TIME: 'p1',
    };
    const { text } = await callTool(bashIn(bench, none, secrets), { command: 'env' });
    expect(text).not.toMatch(/s[1-5]\b/);
    expect(text).toContain('LC_TIME=p1');
    expect(text).toContain(`HOME=${process.env['HOME']}`);
    const tool = createBashTool({
      root: bench.root,
      sandbox: none,
      environment: secrets,
      allowedEnvironment: ['MY_TOKEN'],
    });
    expect((await callTool(tool, { command: 'echo $MY_TOKEN$OPENAI_API_KEY' })).text).toMatch(/^s2\n/);
  });

  it('ends a command that takes too long, with children that ignore SIGTERM or left for a session of their own', async () => {
    const bench = await openBench();
    const id = `39${process.pid}1`;
    const command = `
      (trap '' TERM; exec sleep ${id}) &
      (setsid bash -c "trap '' TERM; sleep ${id}; true" >/dev/null 2>&1 &)
      echo started; sleep ${id}`;
    const result = await callTool(bashIn(bench), { command, timeoutMs: 400 });
    expect(result.text).toBe('started\n[timed out after 400 ms and was ended]');
    expect(result).toMatchObject({ state: 'error', isCancelled: false });
    expect(await isGone(`sleep\0${id}`)).toBe(true);
  });

  it('ends what a command leaves in the background when the command ends', async () => {
    const bench = await openBench();
    const id = `39${process.pid}2`;
    const result = await callTool(bashIn(bench), { command: `sleep ${id} & setsid sleep ${id} & echo done` });
    expect(result.text).toMatch(
      /^done\n\[exit code 0, .*; processes it left in the background were ended\]$/,
    );
    expect(await isGone(`sleep\0${id}`)).toBe(true);
  });

  it('ends with its run, keeps what was put out, and leaves nothing running', async () => {
    const bench = await openBench();
    const id = `39${process.pid}3`;
    const abort = new AbortController();
    const { events, emit } = recordEvents();
    const { results, settled } = await executeCalls(
      [
        {
          callId: 'c',
          name: 'bash',
          input: { command: `trap '' TERM; echo begun; touch flag; sleep ${id}; sleep ${id}` },
        },
      ],
      contextOf([bashIn(bench)], {
        signal: abort.signal,
        emit: (event) => {
          emit(event);
          if (event.type === 'tool-output') abort.abort();
        },
      }),
    );
    expect(results.map(textOf)[0]).toMatch(/^begun\n\[cancelled/);
    expect(results[0]).toMatchObject({ isCancelled: true, state: 'error' });
    expect(events.map((event) => (event.type === 'tool-output' ? event.delta : event.state))).toEqual([
      'pending',
      'running',
      'begun\n',
      'error',
    ]);
    await settled;
    expect(await isGone(`sleep\0${id}`)).toBe(true);
  });

  it('holds head and tail of a long output and hands the whole to the store', async () => {
    const bench = await openBench();
    let whole = '';
    let path = '';
    const session: SessionAccess = {
      outputs: {
        keep: (_, output) => {
          if (output.type !== 'file') throw new Error('expected a file');
          ({ path } = output);
          whole = readFileSync(path, 'utf8');
          return Promise.resolve('o1');
        },
      },
    };
    const { events, emit } = recordEvents();
    const result = await callTool(
      bashIn(bench),
      { command: 'echo first; seq 1 400000; echo größe 😀 last' },
      { session, emit },
    );
    const expected = `first\n${Array.from({ length: 400_000 }, (_, index) => index + 1).join('\n')}\ngröße 😀 last\n`;
    expect(whole === expected).toBe(true);
    expect(existsSync(dirname(path))).toBe(false);
    expect(result.text.length).toBeLessThanOrEqual(30_000);
    expect(result.text).toMatch(/^first\n1\n2\n/);
    expect(result.text).toContain('recall "o1" returns the whole output');
    expect(result.text).toMatch(/\n400000\ngröße 😀 last\n\[exit code 0, /);
    expect(result).toMatchObject({ truncated: true, state: 'completed', data: { wholeId: 'o1' } });
    expect(events.every((event) => event.type !== 'tool-output' || event.delta.length < 17_000)).toBe(true);
    const { text } = await callTool(bashIn(bench), { command: 'yes | head -c 3000000' });
    expect(text).toMatch(/\[… \d+ characters left out …\]/);
  });

  it('says why a command cannot start, and what is wrong with its arguments', async () => {
    const bench = await openBench();
    const missing: Sandbox = { type: 'bubblewrap', program: join(bench.outside, 'missing'), network: false };
    expect((await callTool(bashIn(bench, missing), { command: 'true' })).text).toContain(
      'could not be started',
    );
    expect((await callTool(bashIn(bench), { command: 'a\0b' })).text).toContain(
      'command: expected no NUL character',
    );
    expect((await callTool(bashIn(bench), { command: 'true', timeoutMs: 10_000_000 })).text).toContain(
      'timeoutMs:',
    );
  });

  it('takes colours out of the text', async () => {
    const bench = await openBench();
    const { text } = await callTool(bashIn(bench), {
      command: String.raw`printf '\033[31mred\033[0m\r\nplain'`,
    });
    expect(text).toMatch(/^red\nplain\n\[exit code 0/);
  });
});

const sandbox = await detectSandbox();

describe.skipIf(sandbox.type === 'none')('bash in bubblewrap', () => {
  it('writes in the workspace and nowhere else, without network, and ends with all it started', async () => {
    const bench = await openBench();
    const id = `39${process.pid}4`;
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const command = `echo in > inside; echo out > ../outside; touch /etc/throughline-test; ls ~/.ssh 2>/dev/null; (setsid env -i sleep ${id} &); ls -d /proc/${process.pid}; echo x > /dev/tcp/127.0.0.1/${port} && echo connected`;
    const { text } = await callTool(bashIn(bench, sandbox), { command });
    server.close();
    expect(text).toContain('Read-only file system');
    expect(text).toContain(`'/proc/${process.pid}': No such file`);
    expect(text).not.toContain('connected\n');
    expect(readFileSync(join(bench.root, 'inside'), 'utf8')).toBe('in\n');
    expect(existsSync(join(bench.outside, 'outside'))).toBe(false);
    expect(await isGone(`sleep\0${id}`)).toBe(true);
  });

  it('ends on time-out although the command ignores SIGTERM', async () => {
    const bench = await openBench();
    const id = `39${process.pid}5`;
    const result = await callTool(bashIn(bench, sandbox), {
      command: `trap '' TERM; echo x; sleep ${id}; sleep ${id}`,
      timeoutMs: 500,
    });
    expect(result.text).toBe('x\n[timed out after 500 ms and was ended]');
    expect(await isGone(`sleep\0${id}`)).toBe(true);
  });
});

describe('describeSandbox', () => {
  it('says what commands can reach', async () => {
    const missing = await detectSandbox({ program: '/nowhere/bwrap' });
    expect(missing).toEqual({ type: 'none', reason: 'bubblewrap is not installed' });
    expect(await detectSandbox({ program: 'false' })).toMatchObject({
      reason: 'bubblewrap does not work here',
    });
    expect(describeSandbox(missing)).toContain('without a sandbox (bubblewrap is not installed)');
    expect(describeSandbox({ type: 'bubblewrap', program: 'bwrap', network: false })).toContain(
      'without network',
    );
  });
});

const secrets = {
  OPENAI_API_KEY: '1',
  github_token: '2',
  SSH_AUTH_SOCK: '5',
  DATABASE_URL: 'postgres://user:pass@host/db',
  BASH_ENV: '/tmp/start',
  STRIPE_SK: 'sk_live_1',
  JWT: 'eyJ',
  BEARER: 'b',
  SIGNING_MATERIAL: 's',
  SLACK_WEBHOOK: 'https://hooks.example/services/T/B/x',
  HF: 'hf_1',
  LD_PRELOAD: '/tmp/x.so',
  'BASH_FUNC_ls%%': '() { :; }',
  LC_: 'x',
  PYTHONPATH: 'https://u:p@host/',
};
const plain = {
  PATH: '/bin',
  HOME: '/root',
  USER: 'me',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: '/var/tmp',
  PWD: '/x',
};

describe('filterEnvironment', () => {
  it('passes what is known to be harmless, and nothing else', () => {
    expect(filterEnvironment({ ...secrets, ...plain, GONE: undefined })).toEqual({
      ...plain,
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    });
  });

  it('passes what is allowed by name, but no file that a shell runs first', () => {
    const passed = filterEnvironment(secrets, ['JWT', 'DATABASE_URL', 'BASH_ENV']);
    expect(passed).toMatchObject({ JWT: 'eyJ', DATABASE_URL: secrets.DATABASE_URL });
    expect(passed).not.toHaveProperty('BASH_ENV');
  });
});
