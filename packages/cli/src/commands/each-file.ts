import { errorJson, tell } from '../composition/cli.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { failureOf } from '../outcome/failure.ts';
import type { Cli } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';

interface FileResults<Result> {
  /** In the order of the files, as they stand in `--json`. */
  readonly results: readonly (Result | { readonly file: string; readonly error: object })[];
  readonly good: readonly Result[];
  /** The exit code of the worst failure. */
  readonly worst: ExitCode;
}

/**
 * Works on each of several files. A broken one is told and does not stop the others; where it is the only one, its
 * failure is that of the command.
 *
 * @param show what came of a file; `follows` where it is not the first
 */
export async function onEachFile<Result>(
  files: readonly string[],
  cli: Cli,
  work: (file: string) => Promise<Result>,
  show: (result: Result, follows: boolean) => void,
): Promise<FileResults<Result>> {
  const results: FileResults<Result>['results'][number][] = [];
  const good: Result[] = [];
  let worst: ExitCode = exitCode.ok;
  for (const file of files) {
    try {
      const result = await work(file);
      good.push(result);
      results.push(result);
      show(result, results.length > 1);
    } catch (error) {
      const failure = failureOf(error);
      if (files.length === 1) throw error;
      tell(cli, failure, error);
      results.push({ file, error: errorJson(failure) });
      worst = Math.max(worst, failure.exitCode) as ExitCode;
    }
  }
  return { results, good, worst };
}
