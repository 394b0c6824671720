import { errorJson, tell } from '../composition/cli.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { failureOf } from '../outcome/failure.ts';
import { createPage, createProgress } from '../terminal/page.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Page, Progress } from '../terminal/page.ts';

interface FileResults<Result> {
  /** In the order of the files, as they stand in `--json`. */
  readonly results: readonly (Result | { readonly file: string; readonly error: object })[];
  readonly good: readonly Result[];
  /** The exit code of the worst failure. */
  readonly worst: ExitCode;
}

interface FileWork<Result> {
  readonly work: (file: string, progress: Progress) => Promise<Result>;
  /** Shows what came of a file, where nobody wants JSON. */
  readonly print: (result: Result, page: Page) => void;
}

/**
 * Works on each of several files. A broken one is told and does not stop the others; where it is the only one, its
 * failure is that of the command.
 */
export async function onEachFile<Result>(
  files: readonly string[],
  options: CommonOptions,
  cli: Cli,
  { work, print }: FileWork<Result>,
): Promise<FileResults<Result>> {
  const results: FileResults<Result>['results'][number][] = [];
  const good: Result[] = [];
  let worst: ExitCode = exitCode.ok;
  for (const file of files) {
    try {
      const progress = createProgress(cli);
      progress.say(`Reading ${file} …`);
      const result = await work(file, progress).finally(progress.clear);
      good.push(result);
      results.push(result);
      if (options.json === true) continue;
      const page = createPage(cli, options);
      print(result, page);
      cli.out((results.length > 1 ? '\n\n' : '') + page.text());
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
