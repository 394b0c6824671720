import { dirname, isAbsolute, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { userFolder } from '@throughline/config';
import type { Config, ConfigFile } from '@throughline/config';
import type { GuardOptions } from '@throughline/agent';

/** What tools keep their hands off because of a configuration: where sessions are kept, the file itself, and what it starts. */
export function guardOf(
  config: Config,
  file: ConfigFile | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): GuardOptions {
  const own = file ? [file.path] : [];
  // Also before they are there: the first start makes them.
  const folders = [userFolder('config', environment), userFolder('data', environment)];
  return {
    secrets: [
      ...folders.filter((folder) => folder !== undefined),
      ...storePlaces(config),
      ...(file && holdsSecrets(file) ? own : []),
    ],
    guarded: [...own, ...programs(config)],
    privateFiles: config.agent.privateFiles,
  };
}

function storePlaces({ store }: Config): readonly string[] {
  if (store.type === 'memory') return [];
  const { file, blobs } = store;
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, blobs.folder];
}

/** Sections that may hold secrets, unless all that stands there are names of variables. */
function holdsSecrets({ text }: ConfigFile): boolean {
  return /\b(apiKey|headers|env)["']?\s*:(?!\s*["']?\$\{\w+\}["']?\s*$)/m.test(text);
}

/** Files that the next start runs: a command that changed them would get out of its sandbox. */
function programs({ mcpServers }: Config): readonly string[] {
  return Object.values(mcpServers).flatMap((server) => {
    if (!('command' in server)) return [];
    const { command, args = [], cwd = process.cwd() } = server;
    const named = [
      ...(command.includes('/') ? [command] : []),
      ...args.map((one) => one.replace(/^--?[\w-]+=/, '')),
    ];
    return named.map((path) => (isAbsolute(path) ? path : resolve(cwd, path))).filter(isFile);
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true && dirname(path) !== path;
}
