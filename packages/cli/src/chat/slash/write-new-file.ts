import { CommandFailure, systemCodeOf } from '../../failure.ts';
import { exitCode } from '../../exit-code.ts';
import { open, unlink } from 'node:fs/promises';

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of this name; choose another',
  ENOENT: 'there is no such folder',
  EISDIR: 'this is a folder',
  EACCES: 'permission is missing',
};

/** Writes lines into a file that was not there; how many. Half a file is taken away again. */
export async function writeNewFile(path: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const line of lines) {
        await file.appendFile(`${line}\n`);
        count += 1;
      }
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCodeOf(error);
    const reason = reasons[code];
    if (reason === undefined) throw error;
    throw new CommandFailure('unwritable-file', `${path} cannot be written: ${reason}.`, {
      exitCode: exitCode.unwritable,
    });
  }
  return count;
}
