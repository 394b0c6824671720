import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What holds a command in. */
export type Sandbox =
  | { readonly type: 'bubblewrap'; readonly program: string; readonly network: boolean }
  | { readonly type: 'none'; readonly reason: string };

export interface SandboxOptions {
  /** Commands may reach the network. @default false */
  readonly network?: boolean;
  /** @default 'bwrap', looked up in PATH */
  readonly program?: string;
}

/** Whether bubblewrap is there and works on this machine (containers often forbid what it needs). */
export async function detectSandbox({
  network = false,
  program = 'bwrap',
}: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox: Sandbox = { type: 'bubblewrap', program, network };
  const [file = program, ...args] = sandboxedCommand(sandbox, '/', ['/bin/sh', '-c', 'exit 0']);
  try {
    await promisify(execFile)(file, args, { timeout: 5_000 });
    return sandbox;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return {
      type: 'none',
      reason: isMissing ? 'bubblewrap is not installed' : 'bubblewrap does not work here',
    };
  }
}

/** One sentence for `doctor` and for approvals. */
export function describeSandbox(sandbox: Sandbox): string {
  if (sandbox.type === 'none') {
    return `Commands run without a sandbox (${sandbox.reason}): they can read and change all that this user can.`;
  }
  const network = sandbox.network ? 'with the network' : 'without network';
  return `Commands run in bubblewrap, ${network}: they can change only the workspace, and read the rest of the disk except for known secrets.`;
}

/** Folders and files below the home folder that hold nothing but secrets. */
const secretFolders = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
];
const secretFiles = ['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', '.vault-token'];

/** `command` as it is started: the root of the workspace writable, all else read-only, processes among themselves. */
export function sandboxedCommand(sandbox: Sandbox, root: string, command: readonly string[]): string[] {
  if (sandbox.type === 'none') return [...command];
  // Sockets work on a read-only file system too: those of Docker and of the desktop live in `/run`.
  const hidden = existsSync('/run') ? ['--tmpfs', '/run'] : [];
  // `/` is bound read-only: that of the whole disk stays so.
  const writable = root === '/' ? [] : ['--bind', root, root];
  const network = sandbox.network ? resolverArgs() : ['--unshare-net'];
  const files = [...readOnlyDisk, ...hidden, ...network, ...secretArgs(root), ...writable];
  return [sandbox.program, ...files, ...ownProcesses, '--chdir', root, '--', ...command];
}

const readOnlyDisk = '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp'.split(' ');
const ownProcesses = '--unshare-pid --unshare-ipc --unshare-uts --die-with-parent --new-session'.split(' ');

/** Where systemd keeps the file that `/etc/resolv.conf` points to. */
function resolverArgs(): string[] {
  const folder = '/run/systemd/resolve';
  return existsSync(folder) ? ['--ro-bind', folder, folder] : [];
}

function secretArgs(root: string): string[] {
  const home = homedir();
  const folders = secretFolders.map((name) => join(home, name)).filter((path) => isType(path, 'isDirectory'));
  const files = secretFiles.map((name) => join(home, name)).filter((path) => isType(path, 'isFile'));
  return [
    ...folders.filter((path) => path !== root).flatMap((path) => ['--tmpfs', path]),
    ...files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

function isType(path: string, type: 'isDirectory' | 'isFile'): boolean {
  return statSync(path, { throwIfNoEntry: false })?.[type]() === true;
}
