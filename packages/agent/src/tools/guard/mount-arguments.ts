import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { foldersTo } from './guard.ts';
import { isInside } from './guarded-names.ts';
import type { Guard } from './guard.ts';
import type { Survey } from './survey.ts';

/**
 * The workspace as bubblewrap mounts it: writable, what is guarded in it read-only, secrets empty. A mount cannot be
 * renamed or replaced, and neither can a folder on the way to one, which is mounted on itself.
 */
export function mountArguments(guard: Guard, survey: Survey): readonly string[] {
  const { root } = guard;
  const sockets = listeningSockets().filter((path) => !isBelow(path, privateFolders));
  const outside = [...guard.secrets, ...sockets].filter((path) => path !== root && !isInside(path, root));
  // All of the disk is bound read-only: a workspace that is all of the disk stays so.
  const writable = root === '/' ? [] : ['--bind', root, root];
  return [...outermost(outside).flatMap(hide), ...writable, ...insideArguments(guard, survey)];
}

/** The sandbox has its own. */
const privateFolders = ['/dev', '/proc', '/run', '/tmp'];

function insideArguments({ root, secrets }: Guard, { guarded, gitFolders }: Survey): readonly string[] {
  if (root === '/') return [];
  const inside = secrets.filter((path) => path !== root && isInside(path, root) && existsSync(path));
  const hidden = outermost(inside);
  const readOnly = outermost([...guarded].filter((path) => !isBelow(path, hidden)));
  const closed = [...hidden, ...readOnly];
  const folders = [...closed, ...gitFolders].flatMap((path) => foldersTo(path, root));
  const pinned = new Set(
    [...folders, ...gitFolders].filter((path) => path !== root && !isBelow(path, closed)),
  );
  const mounts = [
    ...[...pinned].map((path) => [path, ['--bind', path, path]] as const),
    ...readOnly.map((path) => [path, ['--ro-bind', path, path]] as const),
    ...hidden.map((path) => [path, hide(path)] as const),
  ];
  // What lies deeper comes later, or it would be covered.
  return mounts.toSorted(([a], [b]) => a.length - b.length).flatMap(([, args]) => args);
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}

function hide(path: string): readonly string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) return [];
  return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

// What the system says of a mount that is read-only, or in the way, and what git makes of it.
const refusal = /read-only file system|device or resource busy|could not (?:lock|write) config file/i;

/**
 * Why a command may have failed at something guarded, and what to do instead; `undefined` where its output says nothing
 * of the kind.
 */
export function protectedWords(guard: Guard, survey: Survey, output: string): string | undefined {
  const refused = output.split('\n').filter((line) => refusal.test(line));
  const paths = [...survey.guarded].map((path) => relative(guard.root, path));
  const named = paths.filter((path) => refused.some((line) => line.includes(endOf(path))));
  if (named.length === 0) return undefined;
  const isSetting = named.some((path) => /(^|\/)\.git\/config$/i.test(path));
  const git = isSetting ? '; for one command git takes a setting as git -c name=value' : '';
  const [are, it] = named.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return (
    `${named.slice(0, 5).join(', ')} ${are} protected from commands, because programs outside the sandbox run or obey ` +
    `${it}: write and edit change ${it} and ask the user${git}`
  );
}

/** As far as a program in a folder below would name it. */
function endOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/**
 * Sockets of this machine that have a path. Who may reach one may have what its server does, on a read-only file system
 * too: those of Docker, of an agent for keys, of a database.
 */
function listeningSockets(): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return [];
  }
  const paths = table.split('\n').flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isSocket() === true);
}
