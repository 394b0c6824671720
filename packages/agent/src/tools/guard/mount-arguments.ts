import { existsSync, statSync } from 'node:fs';
import { foldersTo } from './guard.ts';
import { isInside } from './is-inside.ts';
import { listeningSockets } from './listening-sockets.ts';
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
