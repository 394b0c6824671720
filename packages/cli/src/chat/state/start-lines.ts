import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { printable, widthOf, wrap } from '../../terminal/text.ts';

interface StartFacts {
  readonly version: string;
  /** The folder that tools work in, as far as it is known without the configuration. */
  readonly folder: string;
  /** As it was asked for; `undefined` where only the configuration says it. */
  readonly model: string | undefined;
  readonly columns: number;
}

/** What stands on the screen before anything is loaded: what this is, where it works, how to leave. */
export function startLines({ version, folder, model, columns }: StartFacts): string {
  const parts = [
    `throughline ${version}`,
    shownFolder(folder),
    ...(model === undefined ? [] : [model]),
    'Ctrl-D leaves',
    '/help',
  ];
  return parted(parts, columns);
}

/** The folder of the command line, else of the environment, else where the program was started. */
export function folderOf(
  workspace: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): string {
  return resolve(workingFolder, workspace ?? environment['THROUGHLINE_AGENT_WORKSPACE'] ?? '.');
}

/** As people write it: below their home with a tilde. */
export function shownFolder(folder: string): string {
  const below = relative(homedir(), folder);
  if (below === '') return '~';
  return below.startsWith('..') || isAbsolute(below) ? folder : join('~', below);
}

/** As many lines as it takes; what belongs together is not parted while there is room. */
export function parted(parts: readonly string[], columns: number): string {
  const room = Math.max(1, columns - 1);
  const rows: string[] = [];
  for (const part of parts.map(printable)) {
    const last = rows.at(-1);
    const joined = last === undefined ? part : `${last} · ${part}`;
    if (last !== undefined && widthOf(joined) <= room) rows[rows.length - 1] = joined;
    else rows.push(...wrap(part, room));
  }
  return rows.map((row) => `${row}\n`).join('');
}
