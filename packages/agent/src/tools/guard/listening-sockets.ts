import { readFileSync, statSync } from 'node:fs';

/**
 * Sockets of this machine that have a path. Who may reach one may have what its server does, on a read-only file system
 * too: those of Docker, of an agent for keys, of a database.
 */
export function listeningSockets(): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return [];
  }
  const paths = table.split('\n').flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isSocket() === true);
}
