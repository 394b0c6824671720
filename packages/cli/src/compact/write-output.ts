import { access, constants, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage } from '@throughline/core/settings';
import { CommandFailure, systemCodeOf } from '../outcome/failure.ts';
import { exitCode } from '../outcome/exit-code.ts';

interface OutputFile {
  readonly path: string;
  readonly text: string;
}

/** Refuses early: what would stop the writing should be said before the work is done. */
export async function checkOutput(
  path: string,
  { input, force }: { readonly input: string | undefined; readonly force: boolean },
): Promise<void> {
  const folder = dirname(path);
  const held = await stat(folder).catch(() => undefined);
  if (!held?.isDirectory()) throw unwritable(path, `there is no folder ${folder}`);
  await access(folder, constants.W_OK).catch(() => {
    throw unwritable(path, `permission to write into ${folder} is missing`);
  });
  const existing = await stat(path).catch(() => undefined);
  if (!existing) return;
  const source = input === undefined ? undefined : await stat(input).catch(() => undefined);
  if (source && source.dev === existing.dev && source.ino === existing.ino) {
    throw unwritable(path, 'that is the input file, which is never overwritten');
  }
  if (existing.isDirectory()) throw unwritable(path, 'that is a folder');
  if (!existing.isFile()) throw unwritable(path, 'that is no ordinary file');
  if (!force) throw unwritable(path, 'the file exists already; --force overwrites it');
}

/**
 * Writes files whole or not at all: each beside its place first, then all are put in place in the given order. On a
 * failure nothing new is left behind.
 */
export async function writeFiles(files: readonly OutputFile[], force: boolean): Promise<void> {
  const written: { readonly path: string; readonly temporary: string }[] = [];
  const placed: string[] = [];
  try {
    for (const [index, { path, text }] of files.entries()) {
      const temporary = join(dirname(path), `.throughline-${process.pid}-${index}.tmp`);
      written.push({ path, temporary });
      await writeWhole(temporary, text);
    }
    for (const { path, temporary } of written) {
      await place(temporary, path, force);
      placed.push(path);
    }
  } catch (error) {
    if (!force) await removeAll(placed);
    throw error instanceof CommandFailure ? error : unwritable(files.at(-1)?.path ?? '', sentenceOf(error));
  } finally {
    await removeAll(written.map(({ temporary }) => temporary));
  }
}

/** What cannot be removed must not hide what went wrong before. */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true }).catch(() => undefined);
}

async function writeWhole(path: string, text: string): Promise<void> {
  // A session is private: only its owner reads it. An existing temporary file, or a link in its place, is an error.
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without `force` a file that appeared meanwhile is kept. */
async function place(temporary: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(temporary, path);
  try {
    await link(temporary, path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') throw unwritable(path, 'the file exists already; --force overwrites it');
    // Some file systems know no links.
    await rename(temporary, path);
  }
}

function unwritable(path: string, reason: string): CommandFailure {
  return new CommandFailure('unwritable', `${path} was not written: ${reason}.`, {
    exitCode: exitCode.unwritable,
    details: { file: path, reason },
  });
}

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'no file can be made there',
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
  EDQUOT: 'the quota is used up',
};

function sentenceOf(error: unknown): string {
  return sentences[systemCodeOf(error)] ?? errorMessage(error);
}
