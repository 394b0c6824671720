import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { memoryFolder } from '@throughline/testkit';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface SpawnOptions {
  /** Holds store and configuration; the same one twice is a restart. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the program is started. @default home */
  readonly startedIn?: string;
}

const program = join(import.meta.dirname, '../../cli/src/main.ts');

/** What Node is started with. */
export const programArguments: readonly string[] = [
  '--conditions=throughline-source',
  '--disable-warning=ExperimentalWarning',
  program,
];

/** What the tests of a file leave behind. Tests that run side by side cannot say which of them is to end it. */
const leftovers: (() => unknown)[] = [];

export function leave(end: () => unknown): void {
  leftovers.push(end);
}

/** For the end of each file that starts something: ends and removes all that its tests have left, newest first. */
export async function endLeftovers(): Promise<void> {
  for (const end of leftovers.splice(0).toReversed()) await end();
}

/** A folder that is gone after the tests of the file, under the name that links lead to. */
export function temporaryFolder(parent: string = memoryFolder()): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'throughline-pipes-')));
  leave(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function writeInto(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The environment without anything that would configure the program, but for what is in its home. */
export function environmentIn(
  home: string,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(THROUGHLINE|XDG|NODE_OPTIONS)/.test(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    ...env,
  };
}

/** The command, over real pipes. */
export function spawnThroughline(
  args: readonly string[],
  { home, env, startedIn = home }: SpawnOptions,
): ChildProcessByStdio<Writable, Readable, Readable> {
  const child = spawn(process.execPath, [...programArguments, ...args], {
    cwd: startedIn,
    env: environmentIn(home, env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  leave(() => child.kill('SIGKILL'));
  return child;
}
