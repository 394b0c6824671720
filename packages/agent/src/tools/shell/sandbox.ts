import { existsSync, realpathSync } from 'node:fs';

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
  sandbox: Sandbox,
  root: string,
  mounts: readonly string[],
  command: readonly string[],
): string[] {
  if (sandbox.type === 'none') return [...command];
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
