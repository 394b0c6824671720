import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mountArguments } from '../guard/mount-arguments.ts';
import { surveyOf } from '../guard/survey.ts';
import type { Guard } from '../guard/guard.ts';

/** What holds a command in. */
export type Sandbox =
  | {
      readonly type: 'bubblewrap';
      readonly program: string;
      readonly network: boolean;
      /** Commands cannot make user namespaces of their own either (bubblewrap 0.8 and later). @default false */
      readonly forbidsNamespaces?: boolean;
    }
  | { readonly type: 'none'; readonly reason: string };

/** One sentence for `doctor` and for approvals. */
export function describeSandbox(sandbox: Sandbox): string {
  if (sandbox.type === 'none') {
    return `Commands run without a sandbox (${sandbox.reason}): they can read and change all that this user can.`;
  }
  const network = sandbox.network ? 'with the network' : 'without network';
  return (
    `Commands run in bubblewrap, ${network}: they can change only the workspace, without what git, editors and shells ` +
    'run from it, and read the rest of the disk except for known secrets.'
  );
}

/**
 * `command` as it is started: all of the disk read-only, processes among themselves, no capabilities, and the workspace as
 * `mounts` say.
 */
export function sandboxedCommand(
  sandbox: Bubblewrap,
  root: string,
  mounts: readonly string[],
  command: readonly string[],
): string[] {
  // Sockets work on a read-only file system too: those of Docker and of the desktop live in `/run`.
  const hidden = ['/run', '/var/run'].filter(isPlace).flatMap((path) => ['--tmpfs', path]);
  const network = sandbox.network ? resolverArguments() : ['--unshare-net'];
  const nested = sandbox.forbidsNamespaces === true ? ['--disable-userns'] : [];
  const files = [...readOnlyDisk, ...hidden, ...mounts, ...network];
  return [sandbox.program, ...files, ...ownProcesses, ...nested, '--chdir', root, '--', ...command];
}

// Root may write to `/proc/sys` without any capability: files there ask for the user alone.
const readOnlyDisk =
  '--ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys --tmpfs /tmp --setenv TMPDIR /tmp'.split(
    ' ',
  );
const ownProcesses = (
  '--unshare-user --cap-drop ALL --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try ' +
  '--die-with-parent --new-session'
).split(' ');

/** Where systemd keeps the file that `/etc/resolv.conf` points to. */
function resolverArguments(): string[] {
  const folder = '/run/systemd/resolve';
  return existsSync(folder) ? ['--ro-bind', folder, folder] : [];
}

/** A folder by its own path, not by a link to it. */
function isPlace(path: string): boolean {
  return existsSync(path) && realpathSync(path) === path;
}

/** What a sandbox lets commands do, and the program that makes it. */
export interface SandboxOptions {
  /** Commands may reach the network. @default false */
  readonly network?: boolean;
  /** @default 'bwrap', looked up in PATH */
  readonly program?: string;
}

/**
 * The sandbox of this machine, tried out: a command in it has to fail at getting out. Containers often forbid what
 * bubblewrap needs, and a program of that name need not hold anything.
 */
export async function detectSandbox({
  network = false,
  program = 'bwrap',
}: SandboxOptions = {}): Promise<Sandbox> {
  const strict = { type: 'bubblewrap', program, network, forbidsNamespaces: true } as const;
  const first = await tryOut(strict);
  if (first === undefined) return strict;
  // Before 0.8 bubblewrap cannot forbid them. What it hides stays hidden in them: it is locked there.
  const plain = { ...strict, forbidsNamespaces: false };
  const second = await tryOut(plain);
  return second === undefined ? plain : { type: 'none', reason: second };
}

type Bubblewrap = Extract<Sandbox, { type: 'bubblewrap' }>;

/** Why this sandbox is none; `undefined` when it holds. */
async function tryOut(sandbox: Bubblewrap): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'throughline-sandbox-')));
  try {
    return await tryIn(folder, sandbox);
  } catch (error) {
    return reasonOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryIn(folder: string, sandbox: Bubblewrap): Promise<string | undefined> {
  const root = join(folder, 'work');
  const guardedFolder = join(root, '.git', 'hooks');
  const secret = join(folder, 'secret');
  const key = randomUUID();
  await Promise.all([guardedFolder, secret].map((path) => mkdir(path, { recursive: true })));
  await writeFile(join(secret, 'key'), key);
  const guard: Guard = { root, secrets: [secret], guarded: [], privateFiles: [], home: folder };
  const mounts = mountArguments(guard, await surveyOf(guard));
  const [file = '', ...args] = sandboxedCommand(sandbox, root, mounts, [
    '/bin/sh',
    '-c',
    trial,
    'sh',
    folder,
  ]);
  const { stdout } = await promisify(execFile)(file, args, { timeout: 5_000 });
  const isThere = (path: string): boolean => existsSync(join(folder, path));
  const written = (await readFile(join(root, 'inside'), 'utf8').catch(() => '')).trim();
  const faults: readonly (readonly [string, boolean])[] = [
    ['commands cannot write in the workspace', written !== 'written'],
    ['commands can write outside the workspace', isThere('outside') || isThere('secret/outside')],
    ['commands can write what is protected in the workspace', isThere('work/.git/hooks/planted')],
    ['commands can read secrets', stdout.includes(key)],
    ['commands can change settings of the kernel', /^can write \/proc/m.test(stdout)],
    ['commands keep capabilities', !/^CapEff:\s*0+$/m.test(stdout) || !/^CapBnd:\s*0+$/m.test(stdout)],
    ['commands can become another user', !/^NoNewPrivs:\s*1$/m.test(stdout)],
    ['commands share namespaces', !separate(sandbox).every((kind) => isSeparate(kind, stdout))],
  ];
  const found = faults.flatMap(([name, isFault]) => (isFault ? [name] : []));
  return found.length === 0 ? undefined : `bubblewrap does not hold here: ${found.join(', ')}`;
}

/** Tries to get out; changes nothing where it succeeds but files in the folder of the trial. */
const trial = `
echo written > inside
for file in "$1/outside" "$1/secret/outside" "$1/work/.git/hooks/planted"; do (echo x > "$file") 2>/dev/null; done
(mv .git moved; mkdir -p .git/hooks; echo x > .git/hooks/planted) 2>/dev/null
cat "$1/secret/key" 2>/dev/null
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe; do
  (: >> "$file") 2>/dev/null && echo "can write $file"
done
while read -r line; do echo "$line"; done < /proc/self/status
for kind in user mnt pid ipc uts net; do echo "namespace $kind $(readlink /proc/self/ns/$kind)"; done
exit 0
`;

function separate({ network }: Bubblewrap): readonly string[] {
  return ['user', 'mnt', 'pid', 'ipc', 'uts', ...(network ? [] : ['net'])];
}

function isSeparate(kind: string, told: string): boolean {
  const theirs = new RegExp(`^namespace ${kind} (\\S+)$`, 'm').exec(told)?.[1];
  return theirs !== undefined && theirs !== readlinkSync(`/proc/self/ns/${kind}`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'bubblewrap does not work here';
  if ('code' in error && error.code === 'ENOENT') return 'bubblewrap is not installed';
  const said =
    'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim().split('\n')[0] : '';
  return `bubblewrap does not work here${said ? `: ${said}` : ''}`;
}
