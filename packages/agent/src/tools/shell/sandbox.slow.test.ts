import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createGuard } from '../guard/guard.ts';
import { createBashTool } from './bash-tool.ts';
import { describeSandbox, detectSandbox } from './sandbox.ts';
import type { Bench } from '../../../test/tool-bench.ts';
import type { GuardOptions } from '../guard/guard.ts';
import type { CallResult } from '../tool.ts';
import type { Sandbox } from './sandbox.ts';

const sandbox = await detectSandbox();
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

interface Prison {
  readonly bench: Bench;
  readonly run: (command: string) => Promise<CallResult & { readonly text: string }>;
  readonly at: (path: string) => string;
}

type Who = 'whoever runs the tests' | 'an ordinary user';
const everybody: readonly Who[] = isRoot
  ? ['whoever runs the tests', 'an ordinary user']
  : ['whoever runs the tests'];

interface Prepared extends GuardOptions {
  readonly home?: string;
}

/** A workspace and a sandbox around it, in which a command runs as somebody. */
async function imprison(who: Who, prepare: (bench: Bench) => Prepared | void = () => {}): Promise<Prison> {
  const bench = await openBench();
  const options = prepare(bench) ?? {};
  let guard = { ...createGuard(bench.root, options), ...(options.home && { home: options.home }) };
  let held: Sandbox = sandbox;
  if (who === 'an ordinary user' && held.type === 'bubblewrap') {
    const program = join(bench.outside, 'bwrap-as-nobody');
    writeFileSync(
      program,
      `#!/bin/sh\nexec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups ${held.program} "$@"\n`,
    );
    chmodSync(program, 0o755);
    chmodSync(bench.outside, 0o755);
    execFileSync('chown', ['-R', '-h', String(nobody), bench.root]);
    held = { ...held, program };
    // What only root can reach is no place that this user could mount something over.
    guard = { ...guard, secrets: options.secrets ?? [] };
  }
  const tool = createBashTool({
    root: bench.root,
    sandbox: held,
    guard,
    environment: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  return { bench, run: (command) => callTool(tool, { command }), at: (path) => join(bench.root, path) };
}

const git = (folder: string): void => {
  execFileSync('git', ['init', '-q', folder]);
};

describe.skipIf(sandbox.type === 'none').each(everybody)('a command in bubblewrap, started by %s,', (who) => {
  it('has no capability, and gets none in a namespace of its own', async () => {
    const { run } = await imprison(who);
    const { text } = await run(
      'grep -E "Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs" /proc/self/status; unshare -Ur grep CapEff /proc/self/status',
    );
    expect(text.match(/^Cap\w+:\s*0{16}$/gm)).toHaveLength(4);
    expect(text).toMatch(/NoNewPrivs:\s*1/);
    expect(text).not.toMatch(/CapEff:\s*0*[1-9a-f]/);
  });

  it('cannot mount the disk for writing, or take away what hides a secret', async () => {
    const { bench, run } = await imprison(who, ({ outside }) => {
      mkdirSync(join(outside, 'secret'), { mode: 0o755 });
      writeFileSync(join(outside, 'secret', 'key'), 'k-1234');
      return { secrets: [join(outside, 'secret')] };
    });
    const secret = join(bench.outside, 'secret');
    const { text } = await run(`
      mount -o remount,rw,bind /; mount -o remount,rw /; touch /etc/throughline-test ${bench.outside}/planted
      umount ${secret}; umount -l ${secret}; cat ${secret}/key
      unshare -Urm sh -c 'umount ${secret}; mount -o remount,rw,bind /; cat ${secret}/key; touch /etc/throughline-test'
      unshare -m sh -c 'umount ${secret}; cat ${secret}/key'
      mount -t tmpfs x /mnt && echo mounted; mount --bind / /mnt && echo bound
      cat /proc/*/root${secret}/key; mknod ./disk b 254 0 && echo made a device; chroot / true && echo changed root
      nsenter -t 1 -m cat ${secret}/key; echo end`);
    expect(text).toContain('end');
    expect(text).not.toMatch(/k-1234|mounted|bound|made a device|changed root/);
    expect(existsSync('/etc/throughline-test')).toBe(false);
    expect(readdirSync(secret)).toEqual(['key']);
    expect(existsSync(join(bench.outside, 'planted'))).toBe(false);
  });

  it('cannot change a setting of the kernel, or of its processes', async () => {
    const { run } = await imprison(who);
    const files = [
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/modprobe',
      '/proc/sys/kernel/hotplug',
      '/proc/sys/fs/binfmt_misc/register',
      '/proc/sys/vm/drop_caches',
      '/proc/sysrq-trigger',
      '/sys/kernel/uevent_helper',
      '/sys/power/state',
      '/sys/fs/cgroup/release_agent',
      '/proc/kcore',
    ];
    const { text } = await run(`
      for file in ${files.join(' ')}; do (: >> $file) 2>/dev/null && echo "can write $file"; done
      find /proc/sys /sys -writable -type f 2>/dev/null | head -3 | sed 's/^/can write /'
      mkdir /sys/fs/cgroup/x /sys/fs/cgroup/memory/x 2>/dev/null && echo can write a group; echo end`);
    expect(text).toMatch(/^end/m);
    expect(text).not.toContain('can write');
  });

  it('cannot see, end or trace other processes, nor what the program that started it was given', async () => {
    const { run } = await imprison(who);
    const { text } = await run(`
      kill -0 ${process.pid} 2>/dev/null && echo can end it; ls -d /proc/${process.pid}
      cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c ^VITEST; ls /proc/self/fd | wc -l; ps -e 2>/dev/null | wc -l`);
    expect(text).not.toContain('can end it');
    expect(text).toMatch(new RegExp(`/proc/${process.pid}': No such file`));
    expect(text).toMatch(/^0$/m);
  });

  it('cannot type into the terminal it was started from', async () => {
    const { run } = await imprison(who);
    const { text } = await run('(echo x > /dev/tty) 2>&1; ls /dev/pts /dev; exit 0');
    expect(text).toMatch(/No such device or address/);
    expect(text).not.toMatch(/^(vda|sda|nvme|kmsg|mem|tty[0-9S])/m);
  });

  it('reaches no socket of this machine, by path, by abstract name or by port', async () => {
    const { bench, run, at } = await imprison(who);
    // This Node may lie below /tmp, which a command does not see. Were it copied in this process, another one that is
    // started meanwhile beside this test would hold the copy open for writing, and what is open so cannot be run.
    execFileSync('cp', [process.execPath, at('node')]);
    const path = join(bench.outside, 'daemon.sock');
    const far = join(process.cwd(), `daemon-${process.pid}.sock`);
    const servers = [path, far, `\0throughline-${process.pid}`].map((name) =>
      createServer((socket) => socket.end('hello')).listen(name),
    );
    const tcp = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await Promise.all([...servers, tcp].map((server) => once(server, 'listening')));
    chmodSync(far, 0o777);
    onTestFinished(() => [...servers, tcp].forEach((server) => void server.close()));
    const address = tcp.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const tries = [`"${path}"`, `"${far}"`, `"\\0throughline-${process.pid}"`, `${port}, "127.0.0.1"`];
    const script = tries.map(
      (name) =>
        `net.connect(${name}).on("data", () => console.log("reached")).on("error", (e) => console.log("lost " + e.code));`,
    );
    const { text } = await run(`./node -e 'const net = require("net"); ${script.join('')}'`);
    expect(text).not.toContain('reached');
    expect(text).toMatch(/^(?:lost \w+\n){4}\[exit code 0/);
  });

  it('changes files in the workspace only, not through links either', async () => {
    const { bench, run, at } = await imprison(who, ({ outside, root }) => {
      writeFileSync(join(outside, 'target'), 'old');
      chmodSync(join(outside, 'target'), 0o666);
      symlinkSync(join(outside, 'target'), join(root, 'link'));
      symlinkSync(outside, join(root, 'up'));
    });
    await run(`echo new > link; echo new > up/target; echo new > ../target; ln ../target hard && echo new > hard
      mv ../work ../moved; rm -rf ../work; echo fine > inside`);
    expect(readFileSync(join(bench.outside, 'target'), 'utf8')).toBe('old');
    expect(readFileSync(at('inside'), 'utf8')).toBe('fine\n');
    expect(existsSync(join(bench.outside, 'moved'))).toBe(false);
  });

  it('commits, and cannot touch what git runs', async () => {
    const { run, at } = await imprison(who, ({ root }) => git(root));
    const config = readFileSync(at('.git/config'), 'utf8');
    const { text } = await run(`
      export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=n GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=e \\
        GIT_CONFIG_KEY_2=safe.directory GIT_CONFIG_VALUE_2='*'
      echo a > a; git add a && git commit -qm first && echo committed
      git config core.hooksPath /tmp/x; git config core.fsmonitor 'touch /tmp/y'
      echo evil > .git/hooks/pre-commit; echo evil >> .git/config; rm -rf .git/hooks; mv .git/hooks .git/h; mv .git .git2; rm -rf .git/config
      ln -sf /tmp .git/hooks; mkdir -p .git/hooks; cp a .git/config; git -c core.hooksPath=x status >/dev/null; git log --oneline | wc -l`);
    expect(text).toContain('committed');
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(config);
    expect(readdirSync(at('.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
    expect(readdirSync(at('.')).filter((name) => name.startsWith('.'))).toEqual(['.git']);
  });

  it.each([
    'throughline.yaml',
    'throughline.yml',
    '.throughline/config.yaml',
    '.envrc',
    '.bashrc',
    '.npmrc',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.husky/pre-commit',
    '.mcp.json',
    '.claude/settings.json',
    '.VSCode/tasks.json',
    'project.code-workspace',
    '.git/hooks/post-checkout',
  ])('cannot make %s', async (path) => {
    const { run, at } = await imprison(who);
    const result = await run(`mkdir -p "$(dirname ${path})"; echo evil > ${path}; sleep 60; echo survived`);
    expect(result).toMatchObject({ state: 'error', isCancelled: false });
    expect(result.text).toMatch(/refused and ended: .*\.refused-[0-9a-f]{8}/);
    expect(result.text).not.toContain('survived');
    expect(existsSync(at(path))).toBe(false);
  });

  it('cannot change or replace what is there already, at the top or below', async () => {
    const paths = [
      'throughline.yaml',
      '.vscode/tasks.json',
      'packages/one/.envrc',
      'packages/one/.git/hooks/x',
    ];
    const { run, at } = await imprison(who, ({ root }) => {
      git(join(root, 'packages/one'));
      for (const path of paths) {
        mkdirSync(join(root, path, '..'), { recursive: true });
        writeFileSync(join(root, path), 'old');
      }
    });
    await run(`
      for path in ${paths.join(' ')}; do echo new > $path; rm -f $path; mv $path $path.moved; cp /etc/hostname $path; done
      mv .vscode v; rm -rf packages/one/.git; mv packages p; mv packages/one packages/two; rm -rf packages; rm -rf .vscode; sed -i s/old/new/ ${paths.join(' ')}`);
    for (const path of paths) expect([path, readFileSync(at(path), 'utf8')]).toEqual([path, 'old']);
  });

  it.each([
    'a/b/c/d/.git/hooks/post-checkout',
    'a/b/c/d/.vscode/tasks.json',
    'a/b/c/d/e/f/g/h/i/j/.envrc',
    'a/b/c/d/e/project.code-workspace',
  ])('cannot make %s, however deep', async (path) => {
    const { run, at } = await imprison(who);
    const { state, text } = await run(`mkdir -p "$(dirname ${path})"; echo evil > ${path}`);
    expect([state, text]).toEqual([
      'error',
      expect.stringMatching(/refused and ended: .*\.refused-[0-9a-f]{8}/),
    ]);
    expect(existsSync(at(path))).toBe(false);
  });

  it('cannot bring a guarded name into place by moving what it made under another name', async () => {
    const { run, at } = await imprison(who, ({ root }) => {
      mkdirSync(join(root, 'a/b/c/d/e'), { recursive: true });
    });
    await run('mkdir -p a/b/c/d/e/plain a/node_modules/x/.vscode; echo evil > a/b/c/d/e/plain/tasks.json');
    const renamed = await run('mv a/b/c/d/e/plain a/b/c/d/e/.vscode');
    expect(renamed.text).toContain('a/b/c/d/e/.vscode (now');
    const carried = await run('mv a/node_modules/x a/y');
    expect(carried.text).toContain('a/y/.vscode (now');
    const inside = await run(
      'mkdir -p new/deep/er/.husky; echo evil > new/deep/er/.husky/pre-commit; mv new moved',
    );
    expect(inside.text).toContain('moved/deep/er/.husky (now');
    for (const path of ['a/b/c/d/e/.vscode', 'a/y/.vscode', 'moved/deep/er/.husky'])
      expect([path, existsSync(at(path))]).toEqual([path, false]);
  });

  it('cannot change what lies deep and was there already', async () => {
    const paths = ['a/b/c/d/e/.envrc', 'a/b/c/d/e/.git/hooks/x', 'a/b/c/d/e/.git/config'];
    const { run, at } = await imprison(who, ({ root }) => {
      mkdirSync(join(root, 'a/b/c/d/e'), { recursive: true });
      git(join(root, 'a/b/c/d/e'));
      for (const path of paths) writeFileSync(join(root, path), 'old');
    });
    await run(
      `for path in ${paths.join(' ')}; do echo new > $path; rm -f $path; mv $path x; done; mv a/b/c z; rm -rf a`,
    );
    for (const path of paths) expect([path, readFileSync(at(path), 'utf8')]).toEqual([path, 'old']);
  });

  it('makes a repository of the workspace, commits in it, and then cannot touch what git runs', async () => {
    const { run, at } = await imprison(who);
    const made = await run(`
      git init -q . && git config user.name n && git config user.email e && echo a > a && git add a &&
      git -c safe.directory='*' commit -qm first && sleep 0.3 && echo committed`);
    expect([made.state, made.text]).toEqual(['completed', expect.stringContaining('committed')]);
    expect(existsSync(at('.git/HEAD'))).toBe(true);
    await run('echo evil > .git/hooks/pre-commit; git config core.fsmonitor x; mv .git .g');
    expect(readFileSync(at('.git/config'), 'utf8')).not.toContain('fsmonitor');
    expect(existsSync(at('.git/hooks/pre-commit'))).toBe(false);
  });

  it('copies a repository into the workspace, and not with hooks or settings that run something', async () => {
    const { run, at } = await imprison(who, ({ root }) => {
      git(join(root, 'one'));
      execFileSync('git', [
        '-C',
        join(root, 'one'),
        '-c',
        'user.name=n',
        '-c',
        'user.email=e',
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        'x',
      ]);
    });
    const safe = `export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'`;
    const good = await run(`${safe}; git clone -q one deep/er/and/deep/er/two && echo cloned`);
    expect([good.state, good.text]).toEqual(['completed', expect.stringContaining('cloned')]);
    const evil = await run(`${safe}; git clone -q -c core.fsmonitor='touch x' one deep/er/and/deep/er/three`);
    expect(evil.text).toContain('three/.git (now');
    expect(existsSync(at('deep/er/and/deep/er/two/.git/config'))).toBe(true);
    expect(existsSync(at('deep/er/and/deep/er/three/.git'))).toBe(false);
  });

  it.each([
    ['a hook', 'echo evil > .git/hooks/pre-commit'],
    ['a hook in new folders', 'rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit'],
    [
      'a hook in folders that come and go',
      'for n in 1 2 3 4 5 6 7 8 9; do rm -rf .git/hooks; mkdir .git/hooks; done; echo evil > .git/hooks/pre-commit',
    ],
    ['a program among the settings', 'git config core.fsmonitor evil'],
    ['settings from elsewhere', 'git config include.path ../evil'],
    ['a link for the hooks', 'mkdir h; rm -rf .git/hooks; ln -s ../h .git/hooks'],
    ['a link for the settings', 'mv .git/config c; ln -s ../c .git/config'],
    ['a repository in another place', 'echo ../x > .git/commondir'],
    ['a second repository in its place', 'mv .git g; git init -q .; git config core.pager evil'],
  ])('is ended as soon as the repository it makes of the workspace has %s', async (_, evil) => {
    const { run, at } = await imprison(who);
    const { text, state } = await run(`git init -q .; sleep 0.2; ${evil}; sleep 20; echo survived`);
    expect([state, text]).toEqual(['error', expect.stringContaining('.git (now .git.refused-')]);
    expect(text).not.toMatch(/survived|HEAD/);
    expect(existsSync(at('.git'))).toBe(false);
  });

  it('is told why a setting of git was refused, and what to do instead', async () => {
    const { run } = await imprison(who, ({ root }) => git(root));
    const { text } = await run('git config user.name somebody');
    expect(text).toMatch(
      /; \.git\/config is protected from commands, .*write and edit change it.* git -c name=value\]$/,
    );
    expect((await run('echo read-only file system')).text).not.toContain('protected');
  });

  it('reads the `.env` of the project, as programs of it must', async () => {
    const { run } = await imprison(who, ({ root }) => writeFileSync(join(root, '.env'), 'KEY=s-1234'));
    expect((await run('. ./.env; echo "the key is $KEY"')).text).toContain('the key is s-1234');
  });

  it('cannot plant a repository that runs something, by whatever way git finds one', async () => {
    const { run, at } = await imprison(who, ({ root }) => git(join(root, 'own')));
    const plain = await run('git init -q sub/fresh && echo made');
    expect(plain).toMatchObject({ state: 'completed' });
    expect(existsSync(at('sub/fresh/.git'))).toBe(true);
    const evil = await run(`git init -q sub/evil; git -C sub/evil config core.fsmonitor 'touch /tmp/x'`);
    expect(evil.text).toContain('sub/evil/.git');
    const bare = await run('git init -q --bare sub/bare; git -C sub/bare config core.fsmonitor x');
    expect(bare.text).toContain('sub/bare');
    const common = await run('mkdir e; echo ../../e > own/.git/commondir');
    expect(common.text).toContain('own/.git/commondir');
    const top = await run('git init -q --bare x; mv x/* .');
    expect(top.text).toContain('HEAD');
    for (const path of ['sub/evil/.git', 'own/.git/commondir', 'HEAD'])
      expect([path, existsSync(at(path))]).toEqual([path, false]);
  });

  it('cannot follow or replace a link by which a guarded name is reached', async () => {
    const { run, at } = await imprison(who, ({ root }) => {
      mkdirSync(join(root, 'tools/hooks'), { recursive: true });
      writeFileSync(join(root, 'tools/hooks/pre-commit'), 'old');
      symlinkSync('tools/hooks', join(root, '.husky'));
    });
    await run('echo new > .husky/pre-commit; mv tools t; echo new > tools/hooks/pre-commit');
    await run('rm .husky; mkdir .husky; echo new > .husky/pre-commit');
    expect(lstatSync(at('.husky')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('.husky/pre-commit'), 'utf8')).toBe('old');
  });

  it('cannot change hooks and settings that the configuration of git names', async () => {
    const { run, at } = await imprison(who, ({ root }) => {
      git(root);
      execFileSync('git', ['-C', root, 'config', 'core.hooksPath', 'tools/git']);
      execFileSync('git', ['-C', root, 'config', 'include.path', '../shared.ini']);
      mkdirSync(join(root, 'tools/git'), { recursive: true });
      writeFileSync(join(root, 'shared.ini'), 'old');
    });
    await run(
      'echo evil > tools/git/pre-commit; mv tools t; mkdir -p tools/git; echo evil > tools/git/x; echo new > shared.ini',
    );
    expect(readdirSync(at('tools/git'))).toEqual([]);
    expect(readFileSync(at('shared.ini'), 'utf8')).toBe('old');
  });

  it('cannot make or change start-up files of a home folder that is the workspace', async () => {
    const { bench, run, at } = await imprison(who, ({ root }) => {
      mkdirSync(join(root, '.config/autostart'), { recursive: true });
      mkdirSync(join(root, '.ssh'));
      writeFileSync(join(root, '.profile'), 'old');
      return { secrets: [join(root, '.ssh')], home: root };
    });
    await run(
      'echo evil >> .profile; echo evil > .config/autostart/x.desktop; mv .config c; echo x > .ssh/config',
    );
    expect(readFileSync(at('.profile'), 'utf8')).toBe('old');
    expect(readdirSync(at('.config/autostart'))).toEqual([]);
    expect((await run('echo evil > .zprofile; sleep 60')).text).toContain('refused and ended');
    const left = readdirSync(bench.root).filter((name) => name.startsWith('.z'));
    expect(left).toEqual([expect.stringMatching(/^\.zprofile\.refused-[0-9a-f]{8}$/)]);
    expect(readdirSync(at('.ssh'))).toEqual([]);
  });

  it('does not see secrets that lie in the workspace, and cannot move the folder they are in', async () => {
    const { run, at } = await imprison(who, ({ root }) => {
      mkdirSync(join(root, 'data/store'), { recursive: true });
      writeFileSync(join(root, 'data/store/db'), 's-1234');
      writeFileSync(join(root, 'data/key'), 's-5678');
      return { secrets: [join(root, 'data/store'), join(root, 'data/key')] };
    });
    const { text } = await run(
      'cat data/store/db data/key; mv data d; ln data/key k; cat d/*; grep -r s- .; echo x > data/key; exit 0',
    );
    expect(text).not.toMatch(/s-1234|s-5678/);
    expect(readFileSync(at('data/key'), 'utf8')).toBe('s-5678');
  });
});

describe.skipIf(!isRoot)('an ordinary user among the tests', () => {
  it('is one', () => {
    const id = execFileSync('setpriv', [
      `--reuid=${nobody}`,
      `--regid=${nobody}`,
      '--clear-groups',
      'id',
      '-u',
    ]);
    expect(String(id).trim()).toBe(String(nobody));
    expect(() => chownSync('/', 0, 0)).not.toThrow();
  });
});

describe('detectSandbox', () => {
  it('takes a program that holds nothing for no sandbox, and says what it does not hold', async () => {
    const bench = await openBench();
    const program = join(bench.outside, 'bwrap');
    writeFileSync(
      program,
      '#!/bin/bash\nwhile [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done\nshift\nexec "$@"\n',
    );
    chmodSync(program, 0o755);
    const found = await detectSandbox({ program });
    expect(found).toMatchObject({
      type: 'none',
      reason: expect.stringContaining('commands can write outside the workspace'),
    });
    expect(describeSandbox(found)).toMatch(
      /^Commands run without a sandbox \(bubblewrap does not hold here: /,
    );
  });

  it.skipIf(sandbox.type === 'none')(
    'takes bubblewrap that leaves one thing open for no sandbox',
    async () => {
      const bench = await openBench();
      const without = async (pattern: string): Promise<Sandbox> => {
        const program = join(bench.outside, `bwrap${pattern.replaceAll(/\W/g, '')}`);
        writeFileSync(
          program,
          `#!/bin/bash\nargs=()\nfor one in "$@"; do [[ "$one" == ${pattern} ]] || args+=("$one"); done\nexec bwrap "\${args[@]}"\n`,
        );
        chmodSync(program, 0o755);
        return await detectSandbox({ program });
      };
      expect(await without('--unshare-net')).toMatchObject({
        type: 'none',
        reason: expect.stringContaining('namespaces'),
      });
      expect(await without('--unshare-pid')).toMatchObject({ type: 'none' });
      expect(await without('--disable-userns')).toMatchObject({ type: 'bubblewrap' });
    },
  );
});
