import { onEachFile } from './each-file.ts';
import { run } from '../composition/cli.ts';
import { jsonText } from '../terminal/text.ts';
import { openSession } from '../reading/open-session.ts';
import { modelNeed } from '@throughline/replay';
import { printReplay } from '../replay/print-replay.ts';
import { replayOpened } from '../replay/replay-opened.ts';
import { strategyNames } from '@throughline/core/internal';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { ReadOptions } from '../reading/open-session.ts';
import type { Progress } from '../terminal/page.ts';
import type { Replayed } from '../replay/replayed.ts';
import type { SummaryWriter } from '../replay/replay-strategy.ts';

export interface ReplayOptions extends CommonOptions, ReadOptions {
  readonly window?: number;
  /** @default every strategy that works without a model */
  readonly strategy?: readonly string[];
  /** @default 'code' */
  readonly summaries?: SummaryWriter;
}

/** `throughline replay FILE…`: what each strategy would have sent. A broken file among several does not stop the others. */
export function replay(files: readonly string[], options: ReplayOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    const { results, worst } = await onEachFile(files, options, cli, {
      work: (file, progress) => replayFile(file, progress, options, cli),
      print: printReplay,
    });
    if (options.json === true) cli.out(jsonText({ version: 1, files: results }));
    return worst;
  });
}

/** A line is written at most so often: it is read, not counted. */
const progressEveryMs = 100;

async function replayFile(
  file: string,
  progress: Progress,
  options: ReplayOptions,
  cli: Cli,
): Promise<Replayed> {
  let saidAtMs = 0;
  const opened = await openSession(file, options, cli);
  const { strategy = strategyNames.filter((name) => modelNeed(name) !== 'decisions'), summaries = 'code' } =
    options;
  return await replayOpened(opened, {
    ...options,
    strategies: [...new Set(strategy)],
    summaries,
    onProgress(what) {
      if (cli.now() - saidAtMs < progressEveryMs) return;
      saidAtMs = cli.now();
      progress.say(`${what} · ${file}`);
    },
  });
}
